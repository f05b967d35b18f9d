'use strict';
// usage: node health-check.cjs [/health/live|/health/ready]   (inside a container: asks the app beside it)
// The management listener of a gateway knows about every service; a service has only its health listener.
const isGateway = Boolean(process.env.MANAGEMENT_PORT) || !process.env.HEALTH_PORT;
const port = isGateway ? process.env.MANAGEMENT_PORT || '8081' : process.env.HEALTH_PORT;
const path = process.argv[2] ?? '/health/live';

// With mutual TLS the management listener answers probes without a client certificate; nobody else sits on loopback.
const tls = isGateway && process.env.MANAGEMENT_TLS_CERTIFICATE_FILE;
const { get } = require(tls ? 'node:https' : 'node:http');
const options = { host: '127.0.0.1', port, path, rejectUnauthorized: false, timeout: 4_000 };

get(options, ({ statusCode = 0 }) => process.exit(statusCode >= 200 && statusCode < 300 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
