// Differences between vendors' batches: submission, polling and results. All else is shared.
import type { BatchRecord } from '#server/db/records/batch.ts';
import type { StrictFields } from '#server/framing/strict-fields.ts';
import type { Requesting } from '#server/objects/upstream-files.ts';
import type { RemovedInput, ReportedWork, Requested } from '#server/work/work-kind.ts';
import type { SpoolFile } from '#server/http/spool.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';

export type ReportedBatch = ReportedWork<BatchRecord>;
export type BatchRequest = Requested<ReportedBatch>;

/** Result of one request. `body`: the response, if there is one. */
export interface ReadResult {
  /** Custom id of the request. */
  name: string;
  isAnswered: boolean;
  body: unknown;
}

export interface BatchFormat {
  readonly name: BatchRecord['form'];
  /** Paths that requests may call. */
  readonly paths: readonly string[];
  /** Pattern of custom ids. */
  readonly names: RegExp;
  /** Field that names the file of requests. */
  readonly fileField: string;
  /** Results become files of the caller. */
  readonly leavesFiles?: true;
  /** Maximum bytes of requests sent inline with the creation. If undefined, as for a file. */
  readonly mostInline?: number;
  /**
   * Reads a request of a file or a list. If undefined, as in OpenAI's and Anthropic's.
   * @param index undefined for a request of a file
   * @throws {AppError} `invalid_request`
   */
  itemIn?(item: StrictFields, index?: number): { name: string; body: unknown };
  /**
   * Writes one request into the input file.
   * @param input result of `handIn`, if known in advance. `isBare`: the file has nothing but ids and bodies
   */
  writeRequest(request: { name: string; path: string; body: Buffer; input: string; isFirst: boolean; isBare: boolean }): Buffer;
  /** Uploads the requests; returns `upstream_input`, or the failure. */
  handIn(
    context: Requesting & { randomText(count: number): string },
    channel: PreparedChannel,
    batch: BatchRecord,
    requests: SpoolFile,
  ): Promise<HandedIn>;
  create(context: Requesting, channel: PreparedChannel, batch: BatchRecord, requests: SpoolFile): Promise<BatchRequest>;
  read(context: Requesting, channel: PreparedChannel, id: string): Promise<BatchRequest>;
  cancel(context: Requesting, channel: PreparedChannel, id: string): Promise<BatchRequest>;
  /** Finds a batch whose creation got no response. Returns null if there is none, undefined if not known yet. */
  find(context: Finding, channel: PreparedChannel, batch: BatchRecord): Promise<ReportedBatch | null | undefined>;
  /** Deletes the input at the provider; results as of `deleteAtProvider`. `nothing`: there is nothing to delete. */
  release(context: Requesting, batch: BatchRecord): Promise<RemovedInput>;
  /** Reports whether an ended batch has its results; false if they are still to come. */
  hasResults(batch: BatchRecord): boolean;
  /**
   * Files of results.
   * @throws {AppError}
   */
  results(batch: BatchRecord): readonly ResultFile[];
  /** Returns null if the line is no result. */
  readResult(line: Readonly<Record<string, unknown>>, batch: BatchRecord): ReadResult | null;
  /** Rewrites a result line for the caller. */
  restore(line: Buffer, batch: BatchRecord): Buffer;
}

export type HandedIn = { id: string } | { failure: UpstreamFailure };
export type Finding = Requesting & { isKnown(channel: PreparedChannel, id: string): Promise<boolean> };

export interface ResultFile {
  isOfErrors: boolean;
  open(context: Requesting): Promise<EventSource | Buffer>;
}
