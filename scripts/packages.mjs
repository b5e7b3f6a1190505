// What the tests need besides npm packages, from this machine's package manager where the user may install.
import { execFileSync, spawnSync } from "node:child_process";
import { say } from "./common.mjs";

/** By what is needed, the packages that give it: the first that can be installed is taken. */
const packageManagers = [
  {
    name: "apt-get",
    prepare: ["update", "-q"],
    install: ["install", "-q", "-y", "--no-install-recommends"],
    packages: { redis: ["redis-server", "valkey-server"], chromium: ["chromium"] },
  },
  { name: "apk", install: ["add"], packages: { redis: ["redis", "valkey"], chromium: ["chromium"] } },
  { name: "dnf", install: ["install", "-y"], packages: { redis: ["valkey", "redis"], chromium: ["chromium"] } },
  { name: "pacman", install: ["-S", "--noconfirm"], packages: { redis: ["valkey", "redis"], chromium: ["chromium"] } },
  {
    name: "zypper",
    install: ["--non-interactive", "install"],
    packages: { redis: ["valkey", "redis"], chromium: ["chromium"] },
  },
  {
    name: "brew",
    install: ["install"],
    packages: { redis: ["redis", "valkey"], chromium: ["chromium"] },
    asUser: true,
  },
];

/** Tries to; the caller looks afterwards whether it is there. */
export function installPackage(needed) {
  const manager = packageManagers.find(({ name }) => isInstalled(name));
  const prefix = manager && mayInstall(manager);
  if (!prefix) return;
  const run = (args) => {
    const [command, ...rest] = [...prefix, manager.name, ...args];
    const { status, stderr } = spawnSync(command, rest, {
      encoding: "utf8",
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
    if (status !== 0) say(stderr?.trimEnd() ?? `${manager.name} did not run`);
    return status === 0;
  };
  say(`Installing ${needed} with ${manager.name} …`);
  if (manager.prepare) run(manager.prepare);
  manager.packages[needed].some((name) => run([...manager.install, name]));
}

/** The words before the command when this user may install without being asked for a password, else undefined. */
function mayInstall(manager) {
  const isRoot = process.getuid?.() === 0;
  if (manager.asUser) return isRoot ? undefined : [];
  if (isRoot) return [];
  return spawnSync("sudo", ["-n", "true"], { stdio: "ignore" }).status === 0 ? ["sudo", "-n"] : undefined;
}

function isInstalled(program) {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch (error) {
    return error.code !== "ENOENT";
  }
}
