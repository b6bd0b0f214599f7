// What differs between vendors in batches: how requests are handed in, asked about and answered. All else is one.
import type { BatchRecord } from '#server/db/records/batch.ts';
import type { StrictFields } from '#server/formats/strict-fields.ts';
import type { Requesting } from '#server/slices/files/upstream-files.ts';
import type { SpoolFile } from '#server/http/spool.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';

/** What a provider tells of one. */
export interface ReportedBatch {
  id: string;
  set: Partial<BatchRecord>;
}

/** `isUnknown`: whether the provider has it cannot be told from that. */
export type BatchRequest = { reported: ReportedBatch } | { failure: UpstreamFailure; isUnknown: boolean };

/** A result. `body`: of an answered one, the response. */
export interface ReadResult {
  /** As its caller calls the request. */
  name: string;
  isAnswered: boolean;
  body: unknown;
}

export interface BatchFormat {
  readonly name: BatchRecord['form'];
  /** What requests may ask for. */
  readonly paths: readonly string[];
  /** Of a caller's own names of requests. */
  readonly names: RegExp;
  /** The field that names a file of requests. */
  readonly fileField: string;
  /** Its results are files of their caller's. */
  readonly leavesFiles?: true;
  /** Bytes of all requests that come with their creation. Missing: as of a file. */
  readonly mostInline?: number;
  /** A request as it stands in a file, or in a list. Missing: as OpenAI and Anthropic have it. @param index undefined: in a file @throws {AppError} `invalid_request` */
  itemIn?(item: StrictFields, index?: number): { name: string; body: unknown };
  /** One request in the file of all. @param input what `handIn` will give, where that is known before. `isBare`: it has no more than its name and body. */
  writeRequest(request: { name: string; path: string; body: Buffer; input: string; isFirst: boolean; isBare: boolean }): Buffer;
  /** `upstream_input`, or why there is none. */
  handIn(
    context: Requesting & { randomText(count: number): string },
    channel: PreparedChannel,
    batch: BatchRecord,
    requests: SpoolFile,
  ): Promise<HandedIn>;
  create(context: Requesting, channel: PreparedChannel, batch: BatchRecord, requests: SpoolFile): Promise<BatchRequest>;
  read(context: Requesting, channel: PreparedChannel, id: string): Promise<BatchRequest>;
  cancel(context: Requesting, channel: PreparedChannel, id: string): Promise<BatchRequest>;
  /** The one whose creation was not answered. Null: there is none. Undefined: that is not known yet. */
  find(context: Finding, channel: PreparedChannel, batch: BatchRecord): Promise<ReportedBatch | null | undefined>;
  /** What it was given goes; as `deleteAtProvider`. `nothing`: there is nothing that could be taken back. */
  release(context: Requesting, batch: BatchRecord): Promise<'gone' | 'left' | 'silent' | 'nothing'>;
  /** Of one that has ended. False: they may come yet. */
  hasResults(batch: BatchRecord): boolean;
  /** Files of results. @throws {AppError} */
  results(batch: BatchRecord): readonly ResultFile[];
  /** Null: it is none. */
  readResult(line: Readonly<Record<string, unknown>>, batch: BatchRecord): ReadResult | null;
  /** A line of results as its caller reads it. */
  restore(line: Buffer, batch: BatchRecord): Buffer;
}

export type HandedIn = { id: string } | { failure: UpstreamFailure };
export type Finding = Requesting & { isKnown(channel: PreparedChannel, id: string): Promise<boolean> };

export interface ResultFile {
  isOfErrors: boolean;
  open(context: Requesting): Promise<EventSource | Buffer>;
}
