import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from './session';

const STYLE = `
:root { color-scheme: light dark; --ink: #1f2335; --page: #fbf7f0; --card: #fff; --line: #e7dfd2; --accent: #14532d; --muted: #5b5f70; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ecebe6; --page: #17181c; --card: #212329; --line: #383a42; --accent: #86efac; --muted: #b4b6c2; } }
* { box-sizing: border-box; }
body { margin: 0; font: 17px/1.55 ui-sans-serif, system-ui, sans-serif; color: var(--ink); background: var(--page); }
header { padding: 22px; border-bottom: 1px solid var(--line); background: var(--card); }
header b { font-size: 20px; letter-spacing: 0.02em; }
main { max-width: 980px; margin: 0 auto; padding: 40px 22px 80px; }
h1 { margin: 0 0 6px; font-size: 34px; line-height: 1.2; }
.lead { margin: 0 0 32px; color: var(--muted); }
.cards { display: grid; gap: 20px; grid-template-columns: repeat(auto-fit, minmax(270px, 1fr)); }
section { padding: 24px; border: 1px solid var(--line); border-radius: 16px; background: var(--card); }
h2 { margin: 0 0 8px; font-size: 20px; }
p { margin: 0 0 16px; }
button { padding: 12px 20px; border: 0; border-radius: 10px; font: inherit; font-weight: 600; cursor: pointer; color: var(--card); background: var(--accent); }
button:disabled { opacity: 0.55; cursor: not-allowed; }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
#wallet { margin-top: 24px; }
#wallet[hidden] { display: none; }
vestibule-request { --vestibule-accent: var(--accent); --vestibule-on-accent: var(--card); }
.letter { padding: 12px 16px; border: 1px dashed var(--muted); border-radius: 10px; }
.letter b { font: 700 24px ui-monospace, monospace; letter-spacing: 0.15em; }
`;

const SCRIPT = `
const wallet = document.getElementById('wallet');
const show = (uris, url) => {
  const element = document.createElement('vestibule-request');
  for (const [name, value] of Object.entries({ ...uris, 'status-url': url, interval: '700' })) element.setAttribute(name, value);
  element.addEventListener('vestibule-end', ({ detail }) => {
    document.getElementById('outcome').textContent = detail.status === 'done' ? '' : 'It did not work: ' + detail.status;
    if (detail.status === 'done') location.reload();
  });
  document.getElementById('request').replaceChildren(element);
  wallet.hidden = false;
  wallet.scrollIntoView({ block: 'nearest' });
};
const post = async (path) => {
  document.getElementById('outcome').textContent = '';
  document.getElementById('request').replaceChildren();
  return (await fetch(path, { method: 'POST' })).json();
};
const ask = async (path) => {
  const { sameDevice, crossDevice } = await post(path);
  show({ 'cross-device-uri': crossDevice, 'same-device-uri': sameDevice }, '/status');
};
document.getElementById('login').addEventListener('click', () => ask('/login'));
document.getElementById('age').addEventListener('click', () => ask('/age'));
document.getElementById('card').addEventListener('click', async () => {
  const { offer, code } = await post('/card');
  document.getElementById('letter').hidden = false;
  document.getElementById('code').textContent = code;
  show({ 'cross-device-uri': offer, 'same-device-uri': offer }, '/card-status');
});
`;

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = ({ user, isAdult }: Session) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Example Shop</title><link rel="stylesheet" href="/shop.css"><link rel="icon" href="data:,">
<script type="module" src="/web/define.js"></script><script type="module" src="/shop.js"></script></head>
<body><header><b>Example Shop</b></header><main>
<h1>${user === undefined ? 'Welcome' : `Welcome, ${escaped(user.name)}`}</h1>
<p class="lead">A sample backend: login, age check and a loyalty card with a wallet.</p>
<div class="cards">
<section><h2>Log in</h2><p>${user === undefined ? 'With your PID, without a password.' : 'You are logged in.'}</p>
<button id="login" type="button">Log in with wallet</button></section>
<section><h2>Wine</h2><p>${isAdult ? 'You are over 18: the wine is yours.' : 'We need to know only that you are over 18.'}</p>
<button id="age" type="button">Prove your age</button></section>
<section><h2>Loyalty card</h2><p>Into your wallet, with a code that we send by mail.</p>
<button id="card" type="button"${user === undefined ? ' disabled' : ''}>Get the card</button></section>
</div>
<section id="wallet" aria-label="Wallet" hidden><div id="request"></div><p class="letter" id="letter" hidden>Your mail: <b id="code"></b></p></section>
<p id="outcome" role="status"></p>
</main></body></html>`;

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** The page, its style and script, and the element of @vestibule/web. */
export function servePages(
  app: FastifyInstance,
  webFolder: string,
  session: (request: FastifyRequest, reply: FastifyReply) => Session,
): void {
  const send = (reply: FastifyReply, type: string, body: string) => reply.headers(HEADERS).type(type).send(body);
  app.get('/', (request, reply) => send(reply, 'text/html; charset=utf-8', page(session(request, reply))));
  app.get('/shop.css', (_, reply) => send(reply, 'text/css; charset=utf-8', STYLE));
  app.get('/shop.js', (_, reply) => send(reply, JAVASCRIPT, SCRIPT));
  app.get<{ Params: { file: string } }>('/web/:file', (request, reply) => {
    const { file } = request.params;
    if (!/^[a-z-]+\.js$/.test(file)) return reply.code(404).send();
    return send(reply, JAVASCRIPT, readFileSync(path.join(webFolder, file), 'utf8'));
  });
}
