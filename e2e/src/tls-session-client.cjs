'use strict';
// usage: node tls-session-client.cjs <port> <file of the authority> <TLSv1.2|TLSv1.3>
// A client without a certificate: takes a session at an open address, resumes it at a closed one. Prints what it got as
// JSON: { opened, sessions, resumed: [{ status, reused }] }. Runs on any Node from 20 on.
const { readFileSync } = require('node:fs');
const { connect } = require('node:tls');

const [port, ca, version] = process.argv.slice(2);
const options = {
  host: '127.0.0.1',
  port,
  servername: 'localhost',
  ca: readFileSync(ca),
  minVersion: version,
  maxVersion: version,
};

function exchange(path, session) {
  return new Promise((resolve, reject) => {
    const sessions = [];
    let text = '';
    let reused = false;
    const socket = connect({ ...options, session }, () => {
      reused = socket.isSessionReused();
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    });
    socket.on('session', (one) => sessions.push(one));
    socket.on('data', (chunk) => (text += chunk));
    socket.once('error', reject);
    socket.once('end', () => resolve({ status: Number(text.slice(9, 12)), reused, sessions }));
  });
}

async function main() {
  const { status, sessions } = await exchange('/health/live');
  const resumed = [];
  for (const session of sessions) {
    const got = await exchange('/openapi.json', session);
    resumed.push({ status: got.status, reused: got.reused });
  }
  console.log(JSON.stringify({ opened: status, sessions: sessions.length, resumed }));
}

void main();
