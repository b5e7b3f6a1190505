/** The name of a service: that of a unit, but longer, and with what names of models have. */
export const SERVICE_NAME = /^[a-z][a-z0-9_.-]{0,63}$/;
export const SERVICE_RULE = `must match ${SERVICE_NAME.source}`;
