/**
 * `node dist/fuzz/keepalive-meter.js LOCAL... REMOTE`: a healthy neighbour from each of the local addresses. Prints a line of JSON for
 * every KEEPALIVE that arrives and for every session that comes up or is lost, until its input ends.
 */
import { MessageFramer } from '../core/wire/bgp/framer.js';
import { MESSAGE_TYPE } from '../core/wire/bgp/message.js';
import { keepalive } from '../simulator/hostile-peer.js';
import { dial, shortOpen } from './raw-session.js';

/** Milliseconds between our own KEEPALIVEs. */
const INTERVAL = 700;
const RETRY = 1000;

function say(event: 'up' | 'keepalive' | 'lost', session: string): void {
  process.stdout.write(`${JSON.stringify({ at: Date.now(), event, session })}\n`);
}

function attend(local: string, remote: string, identifier: number): void {
  let beat: NodeJS.Timeout | undefined;
  let isUp = false;
  const socket = dial({ local, remote }, () => socket.write(shortOpen(identifier)));
  const framer = new MessageFramer();
  framer.setExtended(true);
  socket.on('data', (octets) => {
    framer.push(octets, (type) => {
      if (type === MESSAGE_TYPE.open) beat = setInterval(() => socket.write(keepalive), INTERVAL);
      if (type === MESSAGE_TYPE.open) socket.write(keepalive);
      if (type === MESSAGE_TYPE.keepalive) say(isUp ? 'keepalive' : 'up', local);
      if (type === MESSAGE_TYPE.keepalive) isUp = true;
    });
  });
  socket.on('close', () => {
    clearInterval(beat);
    if (isUp) say('lost', local);
    setTimeout(() => attend(local, remote, identifier), RETRY);
  });
}

const addresses = process.argv.slice(2);
const remote = addresses.pop();
if (remote === undefined || addresses.length === 0) {
  console.error('usage: keepalive-meter LOCAL%INTERFACE... REMOTE%INTERFACE');
  process.exit(2);
}
addresses.forEach((local, index) => {
  attend(local, remote, 0x0a08_0001 + index);
});
process.stdin.on('end', () => process.exit(0)).resume();
