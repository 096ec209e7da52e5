/** The keys of docs/options.md; `true` and `false` are 1 and 0. */
export interface DelegateOptions {
  [key: string]: string | number | boolean;
}

/** What the delegate did: the object of TfLiteGlesDelegateReport(). */
export interface Report {
  nodes_total: number;
  nodes_delegated: number;
  partitions: number;
  renderer: string;
  driver: string;
  cpu: Array<{op: string; reason: string; nodes: number[]}>;
  [key: string]: unknown;
}

/**
 * A delegate for `delegates: [...]` of tfjs-tflite-node's loadTFLiteModel.
 * One object may serve several models. Throws a TypeError for an option that is
 * no string, number or boolean, and an Error if the library cannot be loaded.
 */
export class GlesDelegate {
  constructor(options?: DelegateOptions);
  readonly name: string;
  readonly tfliteVersion: string;
  /** Always empty: see index.js. */
  readonly options: Array<[string, string]>;
  readonly node: {path: string};
  /**
   * What became of the model that was loaded last with this object; undefined
   * before the first. Throws where `report_file` cannot be read.
   */
  report(): Report | undefined;
}

/**
 * Where the library is: GLES_DELEGATE_LIBRARY, this package's lib, or the loader's path.
 * Throws an Error if it cannot be loaded from there.
 */
export function libraryPath(): string;
