import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isInstalled, type Command } from "./process.js";

const name = "postgres";

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL refuses to run as root, so that root runs it as the system account `postgres`, made if there is none.
 * Where that account cannot enter a folder on the way (a clone in `/root`), it keeps the one capability that overrides file permissions.
 * Returns undefined for anybody but root.
 */
export function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return existingAccount() ?? createdAccount();
}

export function asAccount(
  account: Account | undefined,
  paths: readonly string[],
  command: string,
  args: readonly string[],
): Command {
  if (!account) return { command, args };
  const closed = paths.find((path) => !mayEnter(path, account));
  if (closed === undefined) return { command, args, ...account };
  if (!isInstalled("setpriv")) {
    throw new Error(
      `PostgreSQL must not run as root, and the account ${name} may not enter ${closed}: ` +
        "start as an ordinary user, or from a folder that everyone may enter",
    );
  }
  const ids = [`--reuid=${account.uid}`, `--regid=${account.gid}`, "--clear-groups"];
  // access(2) asks for the capability of the real user, which a change of user drops unless told not to.
  const pass = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--securebits=+no_setuid_fixup"];
  return { command: "setpriv", args: [...ids, ...pass, command, ...args] };
}

function existingAccount(): Account | undefined {
  const row = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((line) => line.startsWith(`${name}:`));
  const [, , uid, gid] = row?.split(":") ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

function createdAccount(): Account {
  const [command, ...args] = isInstalled("useradd")
    ? ["useradd", "--system", "--user-group", "--shell", "/bin/false", name]
    : ["adduser", "-S", "-D", "-H", "-s", "/bin/false", name];
  execFileSync(command ?? "", args, { stdio: "ignore" });
  const account = existingAccount();
  if (!account) throw new Error(`PostgreSQL must not run as root, and the account ${name} could not be made`);
  return account;
}

function mayEnter(path: string, { uid, gid }: Account): boolean {
  const { mode, uid: owner, gid: group } = statSync(path);
  const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
  const parent = dirname(path);
  return (mode & bit) !== 0 && (parent === path || mayEnter(parent, { uid, gid }));
}
