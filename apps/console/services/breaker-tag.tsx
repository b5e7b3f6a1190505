import type { ServiceDetail } from "../api/types.js";
import { Tag, type Tone } from "../frame/tag.js";

type Breaker = ServiceDetail["live"]["breaker"];

const TONES: Readonly<Record<Breaker, Tone>> = { closed: "good", open: "bad", half_open: "warned" };
const WORDS: Readonly<Record<Breaker, string>> = { closed: "closed", open: "open", half_open: "half open" };

export function BreakerTag({ breaker }: { readonly breaker: Breaker }) {
  return <Tag tone={TONES[breaker]}>breaker {WORDS[breaker]}</Tag>;
}
