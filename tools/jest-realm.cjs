'use strict';
// What test files of one worker share, and how it is put back after each: globals and the built-in objects, the process,
// what Jest keeps on the global object, and who gets the log lines of Nest.
const names = (text) => text.split(' ').map((name) => globalThis[name]);
const INTRINSICS = [
  ...names(
    'Object Function Array String Number Boolean Symbol BigInt Date RegExp Promise Map Set WeakMap WeakSet Error',
  ),
  ...names('TypeError RangeError SyntaxError ArrayBuffer Uint8Array DataView Buffer URL URLSearchParams TextEncoder'),
  ...names('TextDecoder AbortController AbortSignal Event EventTarget Headers Request Response'),
  Object.getPrototypeOf(Uint8Array),
];
const NAMESPACES = names('Math JSON Atomics Intl performance crypto console');
const MATCHERS = Symbol.for('$$jest-matchers-object');

const isSame = (one, other) =>
  one.value === other.value && one.get === other.get && one.set === other.set && one.writable === other.writable;

/** Globals that packages defined when they were loaded: these are not loaded again. */
const ofPackages = new Set();

/** Remembers the own properties of an object. Returns a function that gives it these and no others. */
function remember(object) {
  const before = Object.getOwnPropertyDescriptors(object);
  return () => {
    for (const key of Reflect.ownKeys(object)) {
      if (Object.hasOwn(before, key) || !Object.getOwnPropertyDescriptor(object, key).configurable) continue;
      if (object === globalThis && ofPackages.has(key)) continue;
      delete object[key];
    }
    for (const key of Reflect.ownKeys(before)) {
      const now = Object.getOwnPropertyDescriptor(object, key);
      if (now === undefined || !isSame(before[key], now)) Object.defineProperty(object, key, before[key]);
    }
  };
}

function rememberEnvironment() {
  const before = { ...process.env };
  return () => {
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(before, name)) delete process.env[name];
    Object.assign(process.env, before);
  };
}

function rememberListeners() {
  const before = new Map(process.eventNames().map((name) => [name, process.rawListeners(name)]));
  return () => {
    for (const name of process.eventNames()) {
      const kept = before.get(name) ?? [];
      for (const listener of process.rawListeners(name)) {
        if (!kept.includes(listener)) process.removeListener(name, listener);
      }
    }
  };
}

/** `expect` keeps its matchers and its counts in a global that cannot be deleted. */
function forgetMatchers() {
  const kept = globalThis[MATCHERS];
  if (kept === undefined) return;
  kept.customEqualityTesters.length = 0;
  for (const object of [kept.matchers, kept.state]) for (const key of Reflect.ownKeys(object)) delete object[key];
  const none = { assertionCalls: 0, expectedAssertionsNumber: null, isExpectingAssertions: false };
  Object.assign(kept.state, { ...none, numPassingAsserts: 0, suppressedErrors: [] });
}

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
const withPrototypes = (objects) =>
  [...new Set(objects.flatMap((object) => [object, object.prototype]))].filter(
    (object) => isObject(object) && !Object.isFrozen(object),
  );

/** How to put back what packages keep for the whole process. */
const ofProcess = [];
const STATEFUL = { [require.resolve('@nestjs/common')]: ({ Logger }) => [Logger, Logger.prototype] };
const loaded = new Set();

/** Loads a package, or returns what it exports. */
function loadPackage(file) {
  if (loaded.has(file)) return require(file);
  const before = new Set(Reflect.ownKeys(globalThis));
  const exports = require(file);
  loaded.add(file);
  for (const key of Reflect.ownKeys(globalThis)) if (!before.has(key)) ofPackages.add(key);
  ofProcess.push(...(STATEFUL[file]?.(exports) ?? []).map(remember));
  return exports;
}

/** Returns a function that puts back what was changed since this call. */
function rememberRealm() {
  const objects = [globalThis, process, ...withPrototypes(INTRINSICS), ...NAMESPACES];
  const restore = [rememberEnvironment(), rememberListeners(), ...objects.map(remember)];
  return () => {
    for (const one of restore) one();
    for (const one of ofProcess) one();
    forgetMatchers();
  };
}

module.exports = { loadPackage, rememberRealm };
