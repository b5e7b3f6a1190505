import { send, targetProblem, urlProblem, type Sent, type TargetRules } from "../../libs/webhooks/index.js";
import { startHoldfast } from "../support/http.js";
import { Receiver } from "../support/receiver.js";

/** What an operator gets who allows nothing, but for http, which these tests need to reach a receiver at all. */
const STRICT: TargetRules = { addresses: "public", http: "allowed" };
const LOOSE: TargetRules = { addresses: "any", http: "allowed" };

let receiver: Receiver;
beforeEach(async () => {
  receiver = await Receiver.start();
});
afterEach(() => receiver.stop());

function attempt(url: string, rules: TargetRules, timeoutMs = 3_000): Promise<Sent> {
  const message = { url, body: '{"id":"evt_a"}', secrets: ["whsec_a"], deliveryId: "dlv_a", eventId: "evt_a" };
  return send(message, { rules, timeoutMs });
}

describe("the address of a webhook", () => {
  it.each([
    ["a name that leads to this machine", "localhost"],
    ["an address", "127.0.0.1"],
    ["an address in one number", "2130706433"],
    ["an address in other digits", "0x7f.1"],
    ["an IPv6 address", "[::1]"],
    ["a mapped address", "[::ffff:127.0.0.1]"],
    ["any address of this machine", "0.0.0.0"],
  ])("is not connected to where it is private: %s", async (_, host) => {
    const sent = await attempt(`http://${host}:${receiver.port}/`, STRICT);
    expect(sent).toMatchObject({ delivered: false, status: null });
    expect(sent.error).toMatch(/private/);
    expect(receiver.connections).toBe(0);
  });

  it("may be private where the operator allows it, by name as well", async () => {
    for (const host of ["localhost", "127.0.0.1"])
      expect(await attempt(`http://${host}:${receiver.port}/`, LOOSE)).toMatchObject({ delivered: true, status: 200 });
    expect(receiver.received.map(({ headers }) => headers.host)).toContain(`localhost:${receiver.port}`);
  });

  it("is looked at when it is set: names by what they lead to, and names that lead nowhere", async () => {
    const strict = { addresses: "public", http: "refused" } as const;
    expect(await targetProblem("https://localhost/hook", strict)).toBe("must not lead to a private address");
    expect(await targetProblem("https://localhost/hook", { ...strict, addresses: "any" })).toBeNull();
    // Without DNS it cannot be told from a name that will be there.
    expect([null, "has a host that DNS does not know"]).toContain(
      await targetProblem("https://nobody.invalid/", strict),
    );
    expect(urlProblem("https://8.8.8.8/hook", strict)).toBeNull();
    expect(urlProblem("http://8.8.8.8/hook", strict)).toBe("must begin with https://");
    expect(urlProblem("https://a:b@8.8.8.8/", strict)).toBe("must not contain a user or a password");
    expect(urlProblem("https://8.8.8.8/#a", strict)).toBe("must not contain a fragment");
    for (const text of [
      "",
      "a",
      "https://",
      "ftp://8.8.8.8/",
      "https://exämple.com",
      `https://a.example/${"a".repeat(2_000)}`,
    ])
      expect(urlProblem(text, strict)).not.toBeNull();
  });

  it("is refused in one answer that names the field, by default", async () => {
    const holdfast = await startHoldfast({ HOLDFAST_WEBHOOK_ADDRESSES: "public", HOLDFAST_WEBHOOK_HTTP: "refused" });
    try {
      const tenant = await holdfast.tenant();
      const put = (url: string) => tenant.admin("PUT", "/webhooks/a", { url, events: ["audit.drift"], enabled: false });
      const refused = [
        "http://8.8.8.8/",
        "https://localhost/",
        "https://169.254.169.254/latest",
        "https://[::ffff:a00:1]/",
      ];
      for (const url of refused) {
        const { status, body } = await put(url);
        expect([status, body.code, (body["errors"] as { pointer: string }[])[0]!.pointer]).toEqual([
          400,
          "validation_failed",
          "/url",
        ]);
      }
      expect((await put("https://8.8.8.8/hook")).status).toBe(200);
    } finally {
      await holdfast.stop();
    }
  });
});

describe("an answer", () => {
  it("counts by its status, though its body never ends or is endless", async () => {
    const chunk = Buffer.alloc(64 * 1_024);
    receiver.answers = [
      (response) => void response.writeHead(200).write("a"),
      (response) => {
        response.writeHead(203);
        const more = () => void (response.destroyed || response.write(chunk, more));
        more();
      },
    ];
    for (const status of [200, 203]) {
      expect(await attempt(receiver.url, LOOSE)).toEqual({ delivered: true, status, error: null });
    }
  });

  it("in another protocol is none", async () => {
    const head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n";
    receiver.answers = [(response) => void response.socket!.write(head)];
    expect(await attempt(receiver.url, LOOSE)).toMatchObject({ delivered: false, status: null });
  });

  it("that does not come is given up in time", async () => {
    receiver.answers = ["never"];
    const start = performance.now();
    expect(await attempt(receiver.url, LOOSE, 300)).toEqual({ delivered: false, status: null, error: "no answer in 300 ms" }); // prettier-ignore
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
