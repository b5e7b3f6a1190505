import { type LabInputs, LAB_DEFAULTS } from "#libs/plan";

export interface Preset {
  readonly title: string;
  readonly story: string;
  readonly inputs: LabInputs;
}

const requests = { cost: 1, mode: "enforce" } as const;

/** Cases from the field. In those of requests an attempt costs 1, so that amounts count requests. */
export const PRESETS: readonly Preset[] = [
  {
    title: "Baseline",
    story: "Six jobs, three children, two attempts of 20: four jobs fit.",
    inputs: LAB_DEFAULTS,
  },
  {
    title: "2 × 2 × 3 = 12 requests",
    story: "The code reads as four: two jobs with two calls. Each call may be tried three times.",
    inputs: { ...requests, jobs: 2, children: 2, attempts: 3, jobAllowance: 6, tenantAllowance: 8 },
  },
  {
    title: "6 × 2 × 3 = 36 requests",
    story: "Six agents with two tools each, three attempts a tool: twelve calls become 36.",
    inputs: { ...requests, jobs: 6, children: 2, attempts: 3, jobAllowance: 6, tenantAllowance: 24 },
  },
  {
    title: "14 children × 3",
    story: "One job fans out to 14 children with three attempts: 42 requests of one job.",
    inputs: { ...requests, jobs: 1, children: 14, attempts: 3, jobAllowance: 30, tenantAllowance: 100 },
  },
];
