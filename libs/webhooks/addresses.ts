import { BlockList, isIP, isIPv4 } from "node:net";

/** IPv4 that is not the public Internet, and what clouds answer to their own machines at: RFC 6890 and its registry. */
const CLOSED_V4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  // Azure's own service for its machines stands among public addresses.
  ["168.63.129.16", 32],
] as const;

/** Of IPv6 only this is given out to the public Internet: everything else is local, mapped, translated or unused. */
const OPEN_V6 = ["2000::", 3] as const;

/** Within it: protocols that carry another address (Teredo, 6to4) or lead nowhere, benchmarks and examples. */
const CLOSED_V6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const closed = new BlockList();
for (const [net, prefix] of CLOSED_V4) closed.addSubnet(net, prefix, "ipv4");
for (const [net, prefix] of CLOSED_V6) closed.addSubnet(net, prefix, "ipv6");

const open = new BlockList();
open.addSubnet(...OPEN_V6, "ipv6");

/** `::ffff:` and an IPv4 address, in whichever way it is written. */
const mapped = new BlockList();
mapped.addSubnet("::ffff:0:0", 96, "ipv6");

/** Whether an address, IPv4 or IPv6 without brackets or zone, is one of the public Internet. False for what is no address. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  if (isIPv4(address)) return !closed.check(address, "ipv4");
  if (mapped.check(address, "ipv6")) return isPublicAddress(mappedIn(address));
  return open.check(address, "ipv6") && !closed.check(address, "ipv6");
}

/** The IPv4 address in a mapped one: a URL writes every address in its one short form, `[::ffff:7f00:1]`. */
function mappedIn(address: string): string {
  const [, high = "", low = ""] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(
    new URL(`http://[${address}]`).hostname,
  )!;
  const [a, b] = [parseInt(high, 16), parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join(".");
}
