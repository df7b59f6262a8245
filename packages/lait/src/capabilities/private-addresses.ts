import { BlockList, isIPv6 } from 'node:net';

/** Addresses that mean this machine, its neighbours, or nothing on the internet. */
const privateRanges = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  privateRanges.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::', 128],
  ['::1', 128],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  privateRanges.addSubnet(network, bits, 'ipv6');

const mappedForm = /^::(?:ffff:)?(?:0:)?(\d+\.\d+\.\d+\.\d+)$/i;
const mappedHex = /^::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i;

/** True for an address that a request from outside must not reach. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.split('%')[0]!;
  const dotted = mappedForm.exec(plain)?.[1] ?? fromHex(plain);
  if (dotted !== undefined) return isPrivateAddress(dotted);
  return privateRanges.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
}

/** `::ffff:7f00:1` is 127.0.0.1 in other clothes. */
function fromHex(address: string): string | undefined {
  const parts = mappedHex.exec(address);
  if (parts === null) return undefined;
  const [high, low] = [Number.parseInt(parts[1]!, 16), Number.parseInt(parts[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
