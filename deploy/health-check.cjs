'use strict';
// usage: node health-check.cjs [/health/live|/health/ready]   (inside a container: asks the app beside it)
const port = process.env.HEALTH_PORT || process.env.MANAGEMENT_PORT || '8081';
const path = process.argv[2] ?? '/health/live';

fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(4_000) }).then(
  (response) => process.exit(response.ok ? 0 : 1),
  () => process.exit(1),
);
