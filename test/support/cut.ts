import { request as open } from "node:http";

/** When a client goes away: in the middle of its body, once all of it is sent, or when the answer begins. */
export type CutAt = "half" | "sent" | "answered";

interface Request {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a request as a client whose connection breaks: whatever the answer is, it is lost. */
export async function cutRequest(url: string, { method, headers, body }: Request, at: CutAt): Promise<void> {
  const bytes = Buffer.from(body);
  const length = bytes.length > 0 ? { "content-length": String(bytes.length) } : {};
  const request = open(url, { method, headers: { ...headers, ...length }, agent: false });
  // Its own end is no news.
  request.on("error", () => undefined);
  request.on("response", () => request.destroy());
  const closed = new Promise((resolve) => request.on("close", resolve));
  const goAway = () => void request.destroy();
  if (at === "half") request.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), goAway);
  else request.end(bytes, at === "sent" ? goAway : undefined);
  await closed;
}
