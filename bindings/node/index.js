'use strict';
// A delegate plugin for tfjs-tflite-node.
//
// tfjs-tflite-node 0.0.2 hands options to a delegate as pointers to strings that it has
// freed (more than one option, or one of more than 15 letters, arrives as garbage). So the
// options go through the environment, GLES_DELEGATE_OPTIONS, and the binding gets none. The
// binding asks for `options` in the same turn of the event loop in which it makes the
// delegate, so the variable is set when it asks, and put back when that turn is over:
// two models that are loaded at once get their own.
const fs = require('fs');
const os = require('os');
const path = require('path');

const VARIABLE = 'GLES_DELEGATE_OPTIONS';
const LIBRARY = 'libgles_delegate.so';

// Why the library cannot be loaded, or undefined if it can. tfjs-tflite-node does not check
// that: it calls a null pointer. Node tries to load the library as an addon, so "did not
// self-register" means that the loader found it.
function loadFailure(library) {
  try {
    process.dlopen({exports: {}}, library);
  } catch (error) {
    if (!error.message.includes('did not self-register')) return error.message;
  }
  return undefined;
}

function libraryPath() {
  const named = process.env.GLES_DELEGATE_LIBRARY;
  if (named && !fs.existsSync(named)) {
    throw new Error(`GLES_DELEGATE_LIBRARY names ${named}, which does not exist`);
  }
  const own = path.join(__dirname, 'lib', LIBRARY);
  const released = path.join(__dirname, 'lib', process.arch, LIBRARY);
  const library = named || [own, released].find(fs.existsSync) || LIBRARY;
  const failure = loadFailure(library);
  if (failure === undefined) return library;
  if (library !== LIBRARY) throw new Error(`${library} cannot be loaded: ${failure}`);
  throw new Error(
      `${LIBRARY} was not found (${failure}). Set GLES_DELEGATE_LIBRARY to its path, copy it ` +
      `to ${path.dirname(own)}, or install it where the system's loader looks`);
}

function textOf(key, value) {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw new TypeError(`option ${key} is no string, number or boolean`);
  }
  const text = String(value);
  if (text.includes(';')) {
    throw new TypeError(`option ${key} holds a semicolon, which separates options: ${text}`);
  }
  return text;
}

class GlesDelegate {
  #pairs;
  #reportFile;

  constructor(options = {}) {
    this.name = 'GlesDelegate';
    this.tfliteVersion = '2.9';
    this.node = {path: libraryPath()};
    this.#pairs = Object.entries(options).map(([key, value]) => [key, textOf(key, value)]);
    this.#reportFile = this.#pairs.find(([key]) => key === 'report_file')?.[1];
  }

  get options() {
    if (this.#reportFile === undefined) {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gles-delegate-'));
      this.#reportFile = path.join(folder, 'report.json');
      this.#pairs.push(['report_file', this.#reportFile]);
      process.on('exit', () => fs.rmSync(folder, {recursive: true, force: true}));
    }
    const before = process.env[VARIABLE];
    const ours = this.#pairs.map(([key, value]) => `${key}:${value}`).join(';');
    process.env[VARIABLE] = before ? `${before};${ours}` : ours;
    queueMicrotask(() => {
      if (before === undefined) {
        delete process.env[VARIABLE];
      } else {
        process.env[VARIABLE] = before;
      }
    });
    return [];
  }

  report() {
    if (this.#reportFile === undefined) return undefined;
    return JSON.parse(fs.readFileSync(this.#reportFile, 'utf8'));
  }
}

module.exports = {GlesDelegate, libraryPath};
