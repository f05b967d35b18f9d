import { randomBytes, sign } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { deflateSync } from 'node:zlib';
import { STATUS_LIST_MEDIA_TYPE } from '@vestibule/status-list';
import { makeCredential, nowSeconds, x5cOf, type Credential, type Identity } from '../handmade-credential';
import { ANCHORED_TYPE, OPEN_TYPE, type World } from '../world';
import { answerWith, MAX_PRESENTATIONS, upTo, type HostileKind, type Prepared } from './hostile-kind';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A well-formed status list token for any compressed list. */
function listToken(uri: string, { chain, key }: Identity, compressed: Uint8Array): string {
  const header = { alg: 'ES256', typ: 'statuslist+jwt', x5c: x5cOf({ chain, key }) };
  const list = { bits: 1, lst: Buffer.from(compressed).toString('base64url') };
  const payload = { sub: uri, iat: nowSeconds() - 10, exp: nowSeconds() + 600, ttl: 300, status_list: list };
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const withList = ({ stranger: issuer, holder }: World, uri: string): Credential =>
  makeCredential({ issuer, holder, vct: OPEN_TYPE, claims: { status: { status_list: { idx: 3, uri } } } });

let answers = 0;

/** The number of unknown issuers' lists that one answer may refer to: with more, none is fetched. */
const LISTS = 4;

/** 64 presentations with the maximum number of lists, none of which was fetched before. */
function withLists(world: World, uriOf: (index: number, run: number) => string): Promise<Prepared> {
  answers += 1;
  const run = answers;
  return answerWith(
    world,
    upTo(MAX_PRESENTATIONS, (index) => withList(world, uriOf(index % LISTS, run))),
  );
}

const SILENT_HOST: HostileKind = {
  name: 'lists-silent-host',
  what: 'four status lists on one silent host',
  inShort: false,
  prepare: (world) => withLists(world, (index, run) => `${world.hosts.silentOrigins[0]}/${run}/${index}`),
};

const SILENT_HOSTS: HostileKind = {
  name: 'lists-silent-hosts',
  what: 'four status lists on four silent hosts',
  inShort: false,
  prepare: (world) => withLists(world, (index, run) => `${world.hosts.silentOrigins[index]}/${run}`),
};

/** Lists that are served on request; `send` writes the body. */
function served(
  kind: Pick<HostileKind, 'name' | 'what' | 'inShort'>,
  compressed: () => Buffer,
  send: (response: ServerResponse, token: string) => void = (response, token) => void response.end(token),
): HostileKind {
  return {
    ...kind,
    prepare(world) {
      const { hosts, stranger } = world;
      const list = compressed();
      hosts.at(kind.name, (request, response) => {
        response.writeHead(200, { 'content-type': STATUS_LIST_MEDIA_TYPE });
        send(response, listToken(`${hosts.origin}${request.url}`, stranger, list));
      });
      return withLists(world, (index, run) => `${hosts.origin}/${kind.name}/${run}-${index}`);
    },
  };
}

const MEBIBYTE = 1_048_576;

const BOMBS = served(
  { name: 'lists-bombs', what: 'four status lists of 16 KB that inflate to 16 MiB', inShort: true },
  () => deflateSync(Buffer.alloc(16 * MEBIBYTE)),
);

const TOO_LARGE_BOMBS = served(
  { name: 'lists-bombs-larger', what: 'four status lists that inflate to 200 MiB', inShort: false },
  () => deflateSync(Buffer.alloc(200 * MEBIBYTE)),
);

const LARGE = served({ name: 'lists-large', what: 'four status list tokens of nearly 4 MiB', inShort: false }, () =>
  deflateSync(randomBytes(2_300_000), { level: 0 }),
);

const DRIP = served(
  { name: 'lists-drip', what: 'four status list tokens of 1 MiB in chunks of one byte', inShort: false },
  () => deflateSync(randomBytes(585_000), { level: 0 }),
  (response, token) => {
    const chunks = Buffer.from([...token].map((letter) => `1\r\n${letter}\r\n`).join(''));
    response.flushHeaders();
    response.socket?.end(Buffer.concat([chunks, Buffer.from('0\r\n\r\n')]));
  },
);

const SLOW_MILLISECONDS = 1_000;

const SLOW = served(
  { name: 'lists-slow', what: 'four status lists on a host that takes a second for each', inShort: false },
  () => deflateSync(Buffer.alloc(1_000)),
  (response, token) => void setTimeout(() => response.end(token), SLOW_MILLISECONDS),
);

const LONG_TLS: HostileKind = {
  name: 'lists-long-tls',
  what: 'four status lists on a host whose TLS certificate has a chain of 95 P-521 certificates',
  inShort: true,
  prepare: (world) => withLists(world, (index, run) => `${world.hosts.longChainOrigin}/${run}/${index}`),
};

const LONGEST_TLS: HostileKind = {
  name: 'lists-longest-tls',
  what: 'four status lists on a host whose TLS certificate has a chain of 24 P-521 certificates, as long as is looked at',
  inShort: true,
  prepare: (world) => withLists(world, (index, run) => `${world.hosts.longestChainOrigin}/${run}/${index}`),
};

const TOO_MANY: HostileKind = {
  name: 'lists-too-many',
  what: '64 status lists, which are not fetched',
  inShort: false,
  prepare: (world) =>
    answerWith(
      world,
      upTo(MAX_PRESENTATIONS, (index) => withList(world, `${world.hosts.origin}/${index}`)),
    ),
};

/** The number of lists that one answer may refer to. */
const KNOWN_LISTS = 16;

const LARGE_KNOWN: HostileKind = {
  name: 'lists-large-known',
  what: '16 status list tokens of nearly 4 MiB of an issuer that is vouched for, none of them fetched before',
  inShort: false,
  prepare(world) {
    const { hosts, issuer, holder } = world;
    answers += 1;
    const run = answers;
    const list = deflateSync(randomBytes(2_300_000), { level: 0 });
    hosts.at('lists-large-known', (request, response) => {
      response.writeHead(200, { 'content-type': STATUS_LIST_MEDIA_TYPE });
      response.end(listToken(`${hosts.origin}${request.url}`, issuer, list));
    });
    const credentials = upTo(KNOWN_LISTS, (index) => {
      const uri = `${hosts.origin}/lists-large-known/${run}-${index}`;
      return makeCredential({
        issuer,
        holder,
        vct: ANCHORED_TYPE,
        claims: { status: { status_list: { idx: 3, uri } } },
      });
    });
    return answerWith(world, credentials, { vct: ANCHORED_TYPE });
  },
};

const REDIRECTS: HostileKind = {
  name: 'lists-redirects',
  what: 'four status lists that redirect three times, at last to that host',
  inShort: false,
  prepare(world) {
    const { hosts } = world;
    hosts.at('hop', (request, response) => {
      const [, , hop = '', rest = ''] = (request.url ?? '').split('/');
      const next = Number(hop) < 2 ? `/hop/${Number(hop) + 1}/${rest}` : `${hosts.longChainOrigin}/${rest}`;
      response.writeHead(302, { location: next }).end();
    });
    return withLists(world, (index, run) => `${hosts.origin}/hop/0/${run}-${index}`);
  },
};

/** Status lists: the wallet's credential says where they are, and its issuer serves them there. */
export const LIST_KINDS = [
  SILENT_HOST,
  SILENT_HOSTS,
  SLOW,
  BOMBS,
  TOO_LARGE_BOMBS,
  LARGE,
  DRIP,
  LONG_TLS,
  LONGEST_TLS,
  TOO_MANY,
  LARGE_KNOWN,
  REDIRECTS,
];
