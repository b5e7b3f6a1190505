import type { Job } from "../api/types.js";
import { Tag, type Tone } from "../frame/tag.js";

const TONES: Readonly<Record<Job["state"], Tone>> = { open: "good", closed: "plain", cancelled: "warned" };

export function JobTag({ state }: Pick<Job, "state">) {
  return <Tag tone={TONES[state]}>{state}</Tag>;
}
