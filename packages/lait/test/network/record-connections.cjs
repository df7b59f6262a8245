// Loaded into every Node.js process of a test by NODE_OPTIONS: writes down where each connection goes.
const { appendFileSync } = require('node:fs');
const dgram = require('node:dgram');
const dns = require('node:dns');
const net = require('node:net');

const note = (text) => appendFileSync(process.env.CONNECTIONS, `${text}\n`);
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (!options?.path) note(`${options?.host ?? 'localhost'}:${options?.port ?? args[0]}`);
  return connect.apply(this, args);
};
for (const target of [dns, dns.promises]) {
  const { lookup } = target;
  target.lookup = function (host, ...rest) {
    if (!net.isIP(host)) note(`dns ${host}`);
    return lookup.call(this, host, ...rest);
  };
}
const { send } = dgram.Socket.prototype;
dgram.Socket.prototype.send = function (...args) {
  note('datagram');
  return send.apply(this, args);
};
