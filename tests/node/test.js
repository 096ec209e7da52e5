'use strict';
// The package gles-delegate with the real tfjs-tflite-node: run by package.py.
//   node test.js MODEL...     where node_modules has both
const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const {spawnSync} = require('child_process');
const test = require('node:test');
const tflite = require('tfjs-tflite-node');
const {GlesDelegate, libraryPath} = require('gles-delegate');

const models = process.env.GLES_TEST_MODELS.split(path.delimiter);

// Runs a model on numbers that are the same each time.
function infer(runner) {
  for (const input of runner.getInputs()) {
    const data = input.data();
    for (let i = 0; i < data.length; ++i) {
      data[i] = data instanceof Float32Array ? Math.sin(i) : i % 251;
    }
  }
  assert.strictEqual(runner.infer(), true);
  return runner.getOutputs().map(output => Array.from(output.data()));
}

async function load(model, delegates) {
  const loaded = await tflite.loadTFLiteModel(model, {delegates});
  return loaded.modelRunner;
}

function largestDifference(a, b) {
  let largest = 0, magnitude = 0;
  a.forEach((values, o) => values.forEach((value, i) => {
    largest = Math.max(largest, Math.abs(value - b[o][i]));
    magnitude = Math.max(magnitude, Math.abs(value));
  }));
  return magnitude === 0 ? largest : largest / magnitude;
}

for (const model of models) {
  test(`${path.basename(model)} is computed on the GPU, as on the CPU`, async () => {
    const want = infer(await load(model, []));
    const delegate = new GlesDelegate();
    assert.strictEqual(delegate.report(), undefined);
    const got = infer(await load(model, [delegate]));
    const report = delegate.report();
    assert.ok(report.nodes_delegated > 0, JSON.stringify(report.cpu));
    assert.notStrictEqual(report.renderer, '');
    // As tests/testing/real_model.h allows the delegate's float models.
    const difference = largestDifference(want, got);
    assert.ok(difference < 1e-4, `differs by ${difference} of the largest magnitude`);
  });
}

test('long options, and more than one, arrive', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gles-delegate-test-'));
  const file = path.join(folder, 'a_name_of_more_than_fifteen_letters.json');
  const delegate = new GlesDelegate({
    report_file: file,
    is_precision_loss_allowed: true,
    max_delegated_partitions: 3,
  });
  await load(models[0], [delegate]);
  assert.strictEqual(JSON.parse(fs.readFileSync(file)).precision, 'float16');
  assert.strictEqual(delegate.report().precision, 'float16');
  fs.rmSync(folder, {recursive: true});
});

test('models that load at once have their own options', async () => {
  const half = new GlesDelegate({is_precision_loss_allowed: 1});
  const full = new GlesDelegate({is_precision_loss_allowed: 0});
  await Promise.all([load(models[0], [half]), load(models[0], [full])]);
  assert.strictEqual(half.report().precision, 'float16');
  assert.strictEqual(full.report().precision, 'float32');
});

test('the environment is as it was, and gives options that are not set here', async () => {
  process.env.GLES_DELEGATE_OPTIONS = 'exclude_nodes:0;is_precision_loss_allowed:0';
  const delegate = new GlesDelegate({is_precision_loss_allowed: 1});
  await load(models[0], [delegate]);
  assert.strictEqual(process.env.GLES_DELEGATE_OPTIONS,
                     'exclude_nodes:0;is_precision_loss_allowed:0');
  delete process.env.GLES_DELEGATE_OPTIONS;
  const report = delegate.report();
  assert.strictEqual(report.precision, 'float16');
  assert.ok(report.cpu.some(refusal => refusal.nodes.includes(0)), JSON.stringify(report.cpu));
});

test('bad options are refused with a reason', async () => {
  assert.throws(() => new GlesDelegate({storage: {}}), /option storage is no string/);
  assert.throws(() => new GlesDelegate({device: 'a;b'}), /semicolon/);
  // TFLite 2.9 makes no interpreter where a delegate in its options fails.
  await assert.rejects(load(models[0], [new GlesDelegate({storrage: 'buffer'})]));
});

test('a library that is not there is named', () => {
  const before = process.env.GLES_DELEGATE_LIBRARY;
  process.env.GLES_DELEGATE_LIBRARY = '/no/such/library.so';
  assert.throws(libraryPath, /\/no\/such\/library\.so/);
  process.env.GLES_DELEGATE_LIBRARY = before;
});

// In another process, because the loader keeps a library that it has found.
function constructWith(library) {
  const environment = {...process.env, GLES_DELEGATE_LIBRARY: library, LD_LIBRARY_PATH: ''};
  if (library === undefined) delete environment.GLES_DELEGATE_LIBRARY;
  return spawnSync(process.execPath, ['-e', `
    require('@tensorflow/tfjs-backend-cpu');
    const tflite = require('tfjs-tflite-node');
    const {GlesDelegate} = require('gles-delegate');
    const load = async () => tflite.loadTFLiteModel(
        process.argv[1], {delegates: [new GlesDelegate()]});
    load().then(() => console.log('loaded'), error => console.log(error.message));
  `, models[0]], {cwd: __dirname, env: environment, encoding: 'utf8'});
}

test('a library that is nowhere is an error, not a crash', () => {
  const result = constructWith(undefined);
  assert.strictEqual(result.signal, null);
  assert.strictEqual(result.status, 0, result.stderr);
  // Unless this machine has the library installed.
  assert.match(result.stdout, /was not found .*GLES_DELEGATE_LIBRARY|^loaded/);
});

test('a file that is not a library is an error, not a crash', () => {
  const result = constructWith(models[0]);
  assert.strictEqual(result.signal, null);
  assert.match(result.stdout, /cannot be loaded: /);
});
