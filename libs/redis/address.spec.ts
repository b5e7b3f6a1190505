import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseRedisUrl, RedisUrlProblem } from "./address.js";

const file = (name: string): string =>
  fileURLToPath(new URL(`../../test/support/certificates/${name}`, import.meta.url));
const pem = (name: string): string => readFileSync(file(name), "utf8");
const ca = file("ca.pem");

function problemOf(text: string): string {
  try {
    return JSON.stringify(parseRedisUrl(text));
  } catch (error) {
    if (error instanceof RedisUrlProblem) return error.message;
    throw error;
  }
}

const single = { form: "single", login: {}, sentinelLogin: {}, db: 0 };

describe("the address of a Redis", () => {
  it.each<[string, object]>([
    ["redis://h", { ...single, hosts: [{ host: "h", port: 6379 }] }],
    ["redis://h/", { ...single, hosts: [{ host: "h", port: 6379 }] }],
    ["redis://:s@[::1]:7/3", { ...single, hosts: [{ host: "::1", port: 7 }], login: { password: "s" }, db: 3 }],
    [
      "redis://u%40x:p@:%2Fw@10.0.0.1:1",
      { ...single, hosts: [{ host: "10.0.0.1", port: 1 }], login: { username: "u@x", password: "p@:/w" } },
    ],
    [
      "redis+cluster://u:p@a:1,b,c_3:2",
      {
        ...single,
        form: "cluster",
        hosts: [
          { host: "a", port: 1 },
          { host: "b", port: 6379 },
          { host: "c_3", port: 2 },
        ],
        login: { username: "u", password: "p" },
      },
    ],
    [
      "redis+sentinel://:p@a,b:2/my.master-1/4?sentinelPassword=q%26&sentinelUser=v",
      {
        form: "sentinel",
        hosts: [
          { host: "a", port: 26379 },
          { host: "b", port: 2 },
        ],
        login: { password: "p" },
        sentinelLogin: { username: "v", password: "q&" },
        master: "my.master-1",
        db: 4,
      },
    ],
    [
      `rediss://h?ca=${ca}&cert=${file("server.pem")}&key=${file("server.key")}&servername=redis.test`,
      {
        ...single,
        hosts: [{ host: "h", port: 6379 }],
        tls: { ca: pem("ca.pem"), cert: pem("server.pem"), key: pem("server.key"), servername: "redis.test" },
      },
    ],
    ["rediss+cluster://h", { ...single, form: "cluster", hosts: [{ host: "h", port: 6379 }], tls: {} }],
  ])("is read from %s", (text, address) => {
    expect(parseRedisUrl(text)).toEqual(address);
  });

  it.each<[string, string, RegExp]>([
    ["an unknown scheme", "http://h:6379", /begins with one of redis, rediss, redis\+cluster/],
    ["a name that every object has", "constructor://h", /begins with one of/],
    ["a scheme in capitals", "Redis://h", /begins with one of/],
    ["a fragment", "redis://h/0#x", /begins with one of/],
    ["no host", "redis://:secret@", /has no host/],
    ["no host before the port", "redis://:6379", /has no host/],
    ["an empty host among others", "redis+cluster://a:1,,b:2", /has no host/],
    ["a host with blanks", "redis://a b", /has no host/],
    ["an IPv6 address without brackets", "redis://::1:6379", /has no host/],
    ["several hosts for one server", "redis://a:1,b:2", /several hosts/],
    ["port 0", "redis://h:0", /port/],
    ["a port above 65535", "redis://h:65536", /port/],
    ["a port that is no number", "redis://h:6379x", /port/],
    ["an empty port", "redis://h:", /port/],
    ["a database that is no number", "redis://h/one", /number of a database/],
    ["a longer path", "redis://h/1/2", /number of a database/],
    ["a database of a cluster", "redis+cluster://a:1,b:2/1", /a cluster has only one/],
    ["no name of the master", "redis+sentinel://a:1,b:2", /must name the master/],
    ["no name of the master but a database", "redis+sentinel://a:1//1", /must name the master/],
    ["a user without a password", "redis://user@h", /login without a password/],
    ["an empty password", "redis://user:@h", /login without a password/],
    ["a Sentinel's user without a password", "redis+sentinel://h/m?sentinelUser=u", /login without a password/],
    ["a broken percent-encoding", "redis://:%zz@h", /percent-encoded/],
    ["an unknown parameter", "redis://h?family=6", /unknown parameter; here it may have none/],
    ["a parameter that would turn verification off", "rediss://h?rejectUnauthorized=false", /unknown parameter/],
    ["a Sentinel's parameter without Sentinels", "rediss://h?sentinelPassword=p", /unknown parameter/],
    ["a TLS parameter without TLS", `redis+cluster://h?ca=${ca}`, /ca, which is for TLS: begin it with rediss/],
    ["a parameter twice", `rediss://h?ca=${ca}&ca=${ca}`, /twice/],
    ["a parameter without a value", "rediss://h?ca=", /without a value/],
    [
      "an unreadable file",
      "rediss://h?ca=/no/such/file.pem",
      /ca that cannot be read \(ENOENT\): \/no\/such\/file\.pem/,
    ],
    ["a folder in place of a file", `rediss://h?ca=${file("")}`, /ca that cannot be read \(EISDIR\)/],
    ["a file that holds no certificate", `rediss://h?ca=${file("README.md")}`, /no certificate in PEM/],
    ["a certificate without its key", `rediss://h?cert=${file("server.pem")}`, /go together/],
    [
      "a key of another certificate",
      `rediss://h?cert=${file("server.pem")}&key=${file("elsewhere.key")}`,
      /no certificate and its key/,
    ],
    ["an IP address as servername", "rediss://h?servername=127.0.0.1", /no host name/],
  ])("is refused with %s, in one line", (_name, text, problem) => {
    expect(problemOf(text)).toMatch(problem);
    expect(problemOf(text)).not.toContain("\n");
  });

  it("is refused without repeating what may be secret", () => {
    for (const rest of ["@", "@h:x", "@h/x", "@h?s3cret=1", "@h?ca=1", "@h#x", "%zz@h", "@a,b"]) {
      expect(problemOf(`redis://s3cret:s3cret${rest}`)).not.toContain("s3cret");
    }
  });
});
