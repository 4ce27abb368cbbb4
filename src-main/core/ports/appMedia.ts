import type { MakingCost } from '../../../src-preload/contract/createdItems.ts'
import type { ImageRequest } from '../../../src-preload/contract/images.ts'
import type { SpeechRequest } from '../../../src-preload/contract/speech.ts'
import type { TranscriptRequest } from '../../../src-preload/contract/transcription.ts'

/** A request as `Via` sends it. `path` is that below the base address, with its query. */
export interface ViaRequest {
  method: 'GET' | 'POST'
  path: string
  headers: [name: string, value: string][]
  body: Uint8Array | AsyncIterable<Uint8Array> | null
}

/** How a request that `Via` sends is followed. */
export interface ViaOptions {
  signal?: AbortSignal
  /** Called when the log row exists. */
  onRow?: (id: number) => void
  /** Called once after `onRow`, when the log row has its end, its usage and its cost. */
  onClosed?: () => void
}

/**
 * Sends a request of the studio's features as the request of an app: with its limits, and a row of the log that is the app's. Resolves when
 * the reply begins.
 * @throws StudioError
 */
export type Via = (
  request: ViaRequest,
  options: ViaOptions,
) => Promise<{ status: number; headers: [name: string, value: string][]; bytes: AsyncIterable<Uint8Array> }>

/** The app for which media are made, and how its requests are sent. */
export interface MediaMaker {
  /** Name of the app, which marks the item in its gallery. */
  app: string
  via: Via
}

/** How a tool call is followed. */
export interface MediaCall {
  /** Cancels the requests. */
  signal: AbortSignal
  /** Set while something is being made: what it waits for, in a few words. */
  describe: () => string
}

/** A stored file. */
export interface MadeFile {
  /** Absolute path in the data folder. */
  path: string
  mime: string
  /** Name to save it under, with its ending. */
  name: string
}

/** An item of a gallery. */
export interface MadeItem extends Pick<MakingCost, 'cost' | 'costIs'> {
  id: string
  files: MadeFile[]
}

/** Makes images, speech and transcripts for apps, in the galleries. Each throws the `StudioError` of the request that failed. */
export interface AppMedia {
  image(by: MediaMaker, request: ImageRequest, call: MediaCall): Promise<MadeItem>
  speech(by: MediaMaker, request: SpeechRequest, call: MediaCall): Promise<MadeItem>
  /** @param source a file, which is moved into the gallery, or the id of a recording or speech there */
  transcript(
    by: MediaMaker,
    source: { path: string; name: string; bytes: number } | { id: string },
    request: TranscriptRequest,
    call: MediaCall,
  ): Promise<MadeItem & { text: string }>
}
