import { createSocket } from 'node:dgram';
import type { Clock } from '@vestibule/foundation';

const NTP_PORT = 123;
const PACKET_BYTES = 48;
/** No warning, version 4, client (RFC 5905 §7.3). */
const CLIENT_REQUEST = 0x23;
const SERVER_MODE = 4;
const NOT_SYNCHRONISED = 16;
/** From 1900, the epoch of NTP, to 1970. */
const EPOCH_SECONDS = 2_208_988_800;
const FRACTION = 2 ** 32;
const RECEIVED_AT = 32;
const SENT_AT = 40;
const ORIGIN = 24;

/** Milliseconds since 1970. The era that began in 1900 ends in 2036; what is before 1970 belongs to the next one. */
function readTimestamp(packet: Buffer, offset: number): number {
  const seconds = packet.readUInt32BE(offset);
  const era = seconds < EPOCH_SECONDS ? FRACTION : 0;
  return (seconds + era - EPOCH_SECONDS + packet.readUInt32BE(offset + 4) / FRACTION) * 1000;
}

function isAnswer(packet: Buffer, nonce: Buffer): boolean {
  if (packet.byteLength < PACKET_BYTES || ((packet[0] ?? 0) & 7) !== SERVER_MODE) return false;
  const stratum = packet[1] ?? 0;
  if (stratum === 0 || stratum >= NOT_SYNCHRONISED) return false;
  return packet.subarray(ORIGIN, ORIGIN + nonce.byteLength).equals(nonce);
}

/** Splits `host`, `host:port` and `[address]:port`. */
function placeOf(server: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+|.*:.*:.*))(?::(\d+))?$/.exec(server) ?? [];
  return { host: bracketed ?? plain ?? server, port: Number(port ?? NTP_PORT) };
}

export interface TimeQuestion {
  readonly server: string;
  readonly clock: Clock;
  /** Eight random bytes, which the answer repeats: a sender that cannot see the question cannot answer it. */
  readonly nonce: Buffer;
  readonly milliseconds: number;
}

/**
 * How many milliseconds the clock is ahead of an NTP server's (SNTP, RFC 5905 §14), or undefined without a usable answer
 * in time. The nonce stands in the place of our own time, which is not the server's business.
 */
export function measureClockAhead({ server, clock, nonce, milliseconds }: TimeQuestion): Promise<number | undefined> {
  const { host, port } = placeOf(server);
  const packet = Buffer.alloc(PACKET_BYTES);
  packet[0] = CLIENT_REQUEST;
  nonce.copy(packet, SENT_AT);
  return new Promise((resolve) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    let isOver = false;
    const end = (ahead: number | undefined): void => {
      // The lookup of a name may fail later than that, and would close the socket again.
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      socket.removeAllListeners('message');
      socket.close(() => resolve(ahead));
    };
    const timer = setTimeout(() => end(undefined), milliseconds);
    socket.once('error', () => end(undefined));
    const sentAt = clock().getTime();
    socket.on('message', (answer) => {
      if (!isAnswer(answer, nonce)) return;
      const theirs = (readTimestamp(answer, RECEIVED_AT) + readTimestamp(answer, SENT_AT)) / 2;
      end((sentAt + clock().getTime()) / 2 - theirs);
    });
    socket.send(packet, port, host, (error) => {
      if (error) end(undefined);
    });
  });
}
