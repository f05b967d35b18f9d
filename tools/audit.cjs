'use strict';
// usage: node tools/audit.cjs [folder]
// Asks the npm registry for known vulnerabilities in the dependencies of the lock file, without development
// dependencies. Fails (1) for each one of severity high or critical, unless .ci/audit-exceptions.json lists it with a
// reason and an end date that has not passed, and for a malformed list. If the registry does not answer, it says so and
// passes.
const { spawnSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const path = require('node:path');

const FAILING = ['high', 'critical'];
const EXCEPTIONS = '.ci/audit-exceptions.json';
const MEMBERS = ['advisory', 'package', 'reason', 'until'];
const ADVISORY = /^GHSA(?:-[0-9a-z]{4}){3}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIMEOUT_MILLISECONDS = 120_000;

const isDay = (text) => DAY.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;

/** The fault in one entry of the list; undefined if there is none. */
function faultOf(entry) {
  const isEntry = typeof entry === 'object' && entry !== null && !Array.isArray(entry);
  if (!isEntry || Object.keys(entry).sort().join() !== MEMBERS.join()) return `has exactly ${MEMBERS.join(', ')}`;
  if (!MEMBERS.every((name) => typeof entry[name] === 'string')) return 'has texts only';
  if (!ADVISORY.test(entry.advisory)) return 'names its advisory as GHSA-xxxx-xxxx-xxxx';
  if (entry.package === '') return 'names its package';
  if (entry.reason.trim().length < 20) return 'has a reason of at least 20 characters';
  return isDay(entry.until) ? undefined : 'ends on a day, written YYYY-MM-DD';
}

/** The list of exceptions, or all its faults. */
function parseExceptions(text) {
  let entries;
  try {
    entries = JSON.parse(text);
  } catch {
    return { entries: [], faults: ['is not JSON'] };
  }
  if (!Array.isArray(entries)) return { entries: [], faults: ['is not an array'] };
  const faults = entries.flatMap((entry, index) => {
    const fault = faultOf(entry);
    return fault === undefined ? [] : [`entry ${index} must be one that ${fault}`];
  });
  return { entries, faults };
}

/** Each advisory in a report of `npm audit --json` (version 2) once, however many packages lead to it. */
function advisoriesIn({ vulnerabilities }) {
  const found = new Map();
  for (const { via } of Object.values(vulnerabilities)) {
    for (const advisory of via.filter((one) => typeof one === 'object')) {
      const id = /GHSA[-0-9a-z]+$/.exec(advisory.url ?? '')?.[0] ?? `npm ${advisory.source}`;
      found.set(`${id} ${advisory.name}`, {
        id,
        name: advisory.name,
        severity: advisory.severity,
        title: advisory.title,
      });
    }
  }
  return [...found.values()];
}

/** The verdict for a report on a day (YYYY-MM-DD): the lines to print, and whether it fails. */
function judge(report, exceptions, today) {
  const advisories = advisoriesIn(report);
  const lines = [];
  let failed = false;
  for (const { id, name, severity, title } of advisories) {
    const entry = exceptions.find((one) => one.advisory === id && one.package === name);
    const holds = entry !== undefined && today <= entry.until;
    if (!FAILING.includes(severity)) lines.push(`noted: ${id} ${name}, ${severity}: ${title}`);
    else if (holds) lines.push(`excepted until ${entry.until}: ${id} ${name}, ${severity}: ${entry.reason}`);
    else {
      failed = true;
      lines.push(
        `FOUND: ${id} ${name}, ${severity}: ${title}${entry ? ` (its exception ended on ${entry.until})` : ''}`,
      );
    }
  }
  for (const entry of exceptions) {
    const isNeeded = advisories.some(({ id, name }) => id === entry.advisory && name === entry.package);
    if (!isNeeded) lines.push(`no longer needed in ${EXCEPTIONS}: ${entry.advisory} ${entry.package}`);
  }
  return { lines: lines.length > 0 ? lines : ['no known vulnerability'], failed };
}

/**
 * The report of npm; `unanswered` with npm's message if the registry returned none, `broken` if npm could not even ask.
 */
function ask(folder) {
  const npm = spawnSync('npm', ['audit', '--omit=dev', '--json', '--package-lock-only'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: TIMEOUT_MILLISECONDS,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, npm_config_fetch_retries: '1', npm_config_update_notifier: 'false' },
  });
  let answer;
  try {
    answer = JSON.parse(npm.stdout);
  } catch {
    return npm.error?.code === 'ETIMEDOUT' ? { unanswered: 'no answer in time' } : { broken: 'npm printed no report' };
  }
  if (answer.auditReportVersion === 2 && typeof answer.vulnerabilities === 'object') return { report: answer };
  // A code is npm's own error (a missing or broken lock file); without one, the error is about the registry's answer.
  if (answer.error?.code) return { broken: `${answer.error.code}: ${answer.error.summary}` };
  return { unanswered: String(answer.message ?? 'an invalid answer') };
}

function run(folder) {
  const file = path.join(folder, EXCEPTIONS);
  const { entries, faults } = existsSync(file)
    ? parseExceptions(readFileSync(file, 'utf8'))
    : { entries: [], faults: [] };
  if (faults.length > 0) return { lines: faults.map((fault) => `${EXCEPTIONS} ${fault}`), failed: true };
  const { report, unanswered, broken } = ask(folder);
  if (broken !== undefined) return { lines: [`the lock file could not be audited: ${broken}`], failed: true };
  if (unanswered !== undefined)
    return { lines: [`NOT AUDITED: the registry did not answer (${unanswered})`], failed: false };
  return judge(report, entries, new Date().toISOString().slice(0, 10));
}

module.exports = { judge, parseExceptions };

if (require.main === module) {
  const { lines, failed } = run(path.resolve(process.argv[2] ?? path.join(__dirname, '..')));
  for (const line of lines) console.log(line);
  process.exitCode = failed ? 1 : 0;
}
