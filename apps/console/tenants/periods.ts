export const PERIODS = ["none", "hour", "day", "week", "month"];
