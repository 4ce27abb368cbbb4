import { Busboy, type BusboyInstance } from '@fastify/busboy'

/** Longer than any model's name; what is cut off at it is none. */
const longestModel = 512

/** More than this waiting in the parser means that it doesn't follow: the copy is dropped rather than kept. Bytes. */
const mostWaiting = 1024 * 1024

/**
 * Reads `model` (and nothing else) out of a multipart upload from a copy while it streams. `onModel` is told of every field of
 * that name, in order, of the last one before `end` resolves; a file part of that name is none. Broken input ends the reading silently: the service decides over it.
 * Null where the content type is no `multipart/form-data` with a boundary.
 */
export function multipartModelReader(
  contentType: string,
  onModel: (model: string) => void,
): { push(bytes: Uint8Array): void; end(): Promise<void> } | null {
  if (!/^multipart\/form-data\s*;/i.test(contentType)) return null
  let parser: BusboyInstance | null = open(contentType)
  if (parser === null) return null
  const drop = (): void => {
    parser?.destroy()
    parser = null
  }
  parser.on('field', (name: string, value: string, _: boolean, valueTruncated: boolean) => {
    if (name === 'model' && !valueTruncated && parser !== null) onModel(value)
  })
  parser.on('error', drop)
  return {
    push(bytes) {
      if (parser === null || bytes.length === 0) return
      try {
        parser.write(bytes)
        if (parser !== null && parser.writableLength > mostWaiting) drop()
      } catch {
        drop()
      }
    },
    end() {
      try {
        parser?.end()
      } catch {
        drop()
      }
      // The parser's streams tell their ends in ticks, all of which run before this.
      return new Promise((resolve) => setImmediate(resolve))
    },
  }
}

function open(contentType: string): BusboyInstance | null {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { fieldSize: longestModel, fieldNameSize: 200, headerPairs: 32, headerSize: 8192 },
      isPartAFile: (_, __, fileName) => fileName !== undefined,
    })
  } catch {
    return null
  }
}
