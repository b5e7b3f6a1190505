import { LAB_DEFAULTS } from "#libs/plan";
import { parseOptions, usage } from "./options.js";

const parse = (line: string) => parseOptions(line.split(" ").filter((word) => word !== ""));
const errorsOf = (args: string[]): readonly string[] => {
  const parsed = parseOptions(args);
  return parsed.kind === "refused" ? parsed.errors : [];
};

describe("options that are accepted", () => {
  it("default to the baseline on an own Holdfast", () => {
    expect(parse("")).toEqual({ kind: "run", options: { inputs: LAB_DEFAULTS, json: false, target: null } });
  });

  it("set every input", () => {
    const line =
      "--jobs 1 --children 2 --attempts=3 --cost 4 --job-allowance 0 --tenant-allowance 10000000 --mode observe --json";
    expect(parse(line)).toEqual({
      kind: "run",
      options: {
        inputs: {
          jobs: 1,
          children: 2,
          attempts: 3,
          cost: 4,
          jobAllowance: 0,
          tenantAllowance: 10_000_000,
          mode: "observe",
        },
        json: true,
        target: null,
      },
    });
  });

  it.each([
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["http://127.0.0.1:8080/", "http://127.0.0.1:8080"],
    ["https://example.test/holdfast/", "https://example.test/holdfast"],
  ])("run against %s", (url, kept) => {
    expect(parse(`--url ${url} --admin-key secret`)).toMatchObject({
      options: { target: { url: kept, adminKey: "secret" } },
    });
  });

  it("take a key that begins with a dash after an equals sign", () => {
    expect(parse("--url http://localhost --admin-key=-key")).toMatchObject({
      options: { target: { adminKey: "-key" } },
    });
  });

  it("show the help with every range, whatever else is wrong", () => {
    expect(parse("--jobs 0 --help")).toEqual({ kind: "help" });
    expect(parse("-h")).toEqual({ kind: "help" });
    expect(usage()).toContain("--tenant-allowance N    tenant allowance, 0 to 10000000 (500)");
  });
});

describe("options that are refused", () => {
  it.each([
    "1e3",
    "0x10",
    "",
    "1.5",
    "-1",
    "+1",
    " 6",
    "6,",
    "007",
    "0",
    "101",
    "99999999999999999999",
    "--json",
    "１",
  ])("name the option and the range: --jobs %p", (text) => {
    const refusal = [`--jobs must be a whole number from 1 to 100, not ${JSON.stringify(text)}`];
    expect(errorsOf(["--jobs", text])).toEqual(refusal);
    expect(errorsOf([`--jobs=${text}`])).toEqual(refusal);
  });

  it.each([
    ["children", "101", "1 to 100"],
    ["attempts", "21", "1 to 20"],
    ["cost", "10001", "1 to 10000"],
    ["job-allowance", "10000001", "0 to 10000000"],
    ["tenant-allowance", "10000001", "0 to 10000000"],
  ])("name the range of --%s", (option, text, range) => {
    expect(errorsOf([`--${option}`, text])).toEqual([
      `--${option} must be a whole number from ${range}, not "${text}"`,
    ]);
  });

  it.each<[string[], string]>([
    [["--mode", "Enforce"], '--mode must be enforce or observe, not "Enforce"'],
    [["--jobs"], "--jobs needs a value"],
    [["--jobs", "6", "--jobs", "7"], "--jobs is given twice"],
    [["--jobz", "6"], "--jobz is not an option of the lab"],
    [["-j"], "-j is not an option of the lab"],
    [["--no-json"], "--no-json is not an option of the lab"],
    [["--json=yes"], "--json takes no value"],
    [["6"], '"6" is not an option'],
    [["--", "--json"], '"--json" is not an option'],
    [["--url", "http://localhost"], "--url needs --admin-key"],
    [["--admin-key", "secret"], "--admin-key needs --url"],
    [
      ["--admin-key", "k", "--url", "--json"],
      "--url needs a value (one that begins with a dash is written --url=VALUE)",
    ],
    [
      ["--url", "http://localhost", "--admin-key", "a\nb"],
      "--admin-key must be visible ASCII characters without blanks",
    ],
  ])("%p", (args, message) => {
    expect(errorsOf(args)).toContain(message);
  });

  it.each([
    "localhost:8080",
    "ftp://localhost",
    "http://user:pass@localhost",
    "http://localhost?a=1",
    "http://localhost#a",
    "",
  ])("are addresses that no Holdfast has: --url %p", (url) => {
    expect(errorsOf(["--url", url, "--admin-key", "k"])).toEqual([
      "--url must be an address such as http://127.0.0.1:8080",
    ]);
  });

  it("are reported all at once", () => {
    expect(errorsOf(["--jobs", "0", "--cost", "x", "--what"])).toHaveLength(3);
  });

  it("never repeat the key", () => {
    expect(errorsOf(["--url", "x", "--admin-key", "se cret"]).join()).not.toContain("cret");
  });
});
