import { loggedError, loggedPath } from "./logged.js";

const JOB = "job_01KE3A2Z8M4N5P6Q7R8S9T0V1W";

describe("a log line", () => {
  it("names the route and the ids it was called with, and nothing else of a path", () => {
    const path = (url: string | undefined, params: object) => loggedPath({ routeOptions: { url } as never, params });
    expect(path("/v1/jobs/:jobId/close", { jobId: JOB })).toBe(`/v1/jobs/${JOB}/close`);
    expect(path("/v1/jobs/:jobId/close", { jobId: "hfk_secret" })).toBe("/v1/jobs/:jobId/close");
    expect(path("/v1/users/:user", { user: "ada" })).toBe("/v1/users/:user");
    expect(path("/v1/jobs/:jobId", { jobId: `${JOB}x` })).toBe("/v1/jobs/:jobId");
    expect(path(undefined, {})).toBe("no route");
  });

  it("has of an error what it is, and nothing that a driver hung on it", () => {
    const error = Object.assign(new Error("WRONGPASS"), {
      code: "E1",
      command: { name: "auth", args: ["a password"] },
      detail: "Key (key)=(a key) already exists.",
      cause: new Error("a cause"),
    });
    expect(loggedError(error)).toEqual({ type: "Error", message: "WRONGPASS", code: "E1", stack: error.stack });
    expect(JSON.stringify(loggedError("a password"))).not.toContain("a password");
  });
});
