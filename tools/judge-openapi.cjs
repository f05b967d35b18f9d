'use strict';
// usage: node tools/judge-openapi.cjs <folder with API descriptions> <folder for types>
// Judges OpenAPI documents with other people's programs: the recommended rules of Redocly, and openapi-typescript with its
// default options, which writes <name>.d.ts for each. Prints what Redocly finds as JSON lines.
const { execFileSync } = require('node:child_process');
const { readdirSync } = require('node:fs');
const path = require('node:path');
const { createConfig, lint } = require('@redocly/openapi-core');

const generator = path.join(path.dirname(require.resolve('openapi-typescript/package.json')), 'bin/cli.js');

async function judge(folder, types) {
  const config = await createConfig({ extends: ['recommended'] });
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const document = path.join(folder, file);
    for (const { severity, ruleId, message, location } of await lint({ ref: document, config })) {
      const place = location[0]?.pointer ?? '';
      console.log(JSON.stringify({ file, severity, rule: ruleId, place, message }));
    }
    const written = path.join(types, file.replace(/json$/, 'd.ts'));
    execFileSync(process.execPath, [generator, document, '--output', written], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
}

judge(path.resolve(process.argv[2]), path.resolve(process.argv[3])).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
