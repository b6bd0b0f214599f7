// Common interface of every tested package.

export interface Ask {
  system?: string;
  prompt?: string;
  limit?: number;
  stop?: string[];
  /** Base64 of a PNG. */
  image?: string;
  /** Base64 of a PDF. */
  file?: string;
  thinks?: boolean;
  signal?: AbortSignal;
  key?: string;
  model?: string;
}

export interface Reported {
  text: string;
  /** As the package says it. */
  finish: string | undefined;
  reasoning: string;
  input: number | undefined;
  output: number | undefined;
}

export interface AskTools {
  stream: boolean;
  choice?: 'auto' | 'none' | 'forced';
  thinks?: boolean;
}

export interface Speaker {
  name: string;
  /** The format that it speaks. */
  caller: string;
  /** What it calls the model. */
  model: string;
  /** Features that the package cannot request, or does not expose. */
  lacks: readonly (
    | 'stop'
    | 'image'
    | 'file'
    | 'reasoning'
    | 'none'
    | 'finish'
    | 'limit'
    | 'breaks'
    | 'streamed usage'
    | 'streamed thoughts'
  )[];
  finishes: { stop: string; length: string };
  ask(origin: string, key: string, ask: Ask): Promise<Reported>;
  stream(origin: string, key: string, ask: Ask, onPiece?: (text: string) => void): Promise<Reported>;
  /** Runs until the model calls no tool: `get_tide` with a port, answered with `noon`. */
  callTools(origin: string, key: string, ask: AskTools): Promise<{ ports: string[]; text: string }>;
  /** By a schema of `{ port, hour }`. */
  object(origin: string, key: string): Promise<unknown>;
  /** HTTP status of what was thrown. */
  statusOf(failure: unknown): number | undefined;
}

export const question = 'When is high water in Brest?';
