import { useSessions } from "../api/session.js";
import { Tag } from "../frame/tag.js";
import { useLive } from "./live.js";

const WORDS = {
  live: { tone: "good", word: "Live", meaning: "Changes show by themselves." },
  reconnecting: {
    tone: "warned",
    word: "Reconnecting …",
    meaning: "The connection was lost: what is shown may be old.",
  },
  polling: { tone: "plain", word: "Polling", meaning: "Nothing is told of changes: the page asks again now and then." },
} as const;

/** Says whether the page shows what is now; a change of that is said politely to whoever does not see it. */
export function LiveBadge() {
  const { session } = useSessions();
  const state = useLive();
  if (session === null) return null;
  const { tone, word, meaning } = WORDS[state];
  return (
    <span role="status" title={meaning}>
      <Tag tone={tone}>{word}</Tag>
    </span>
  );
}
