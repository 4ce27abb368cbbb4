import { spawnSync } from 'node:child_process'

/** Decodes any audio file with the system's ffmpeg to mono samples at 16 kHz. Shares no code with the sandbox. */
export const ffmpegSamples = (bytes: Uint8Array, inputArguments: string[] = []): Float32Array => {
  const run = spawnSync(
    'ffmpeg',
    ['-v', 'error', ...inputArguments, '-i', '-', '-f', 'f32le', '-ac', '1', '-ar', '16000', '-'],
    {
      input: bytes,
      maxBuffer: 1 << 28,
    },
  )
  if (run.status !== 0) throw new Error(run.stderr.toString())
  return new Float32Array(Uint8Array.from(run.stdout).buffer)
}

export const ffmpegMake = (...args: string[]): Uint8Array => {
  const run = spawnSync('ffmpeg', ['-v', 'error', ...args, '-'], { maxBuffer: 1 << 28 })
  if (run.status !== 0) throw new Error(run.stderr.toString())
  return run.stdout
}

export const ffprobe = (bytes: Uint8Array): string => {
  const run = spawnSync('ffprobe', ['-v', 'error', '-show_streams', '-show_format', '-of', 'flat', '-'], {
    input: bytes,
  })
  if (run.status !== 0) throw new Error(run.stderr.toString())
  return run.stdout.toString()
}

export const rms = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / Math.max(1, samples.length))

/** Median fundamental frequency in Hz by autocorrelation over 40 ms frames, 60 to 400 Hz, voiced frames only. */
export const medianPitch = (samples: Float32Array): number => {
  const found: number[] = []
  for (let at = 0; at + 1280 < samples.length; at += 640) {
    let best = { lag: 0, value: 0 }
    const energy = correlation(samples, at, 0)
    if (energy < 3) continue
    for (let lag = 40; lag <= 266; lag++) {
      const value = correlation(samples, at, lag) / energy
      if (value > best.value + 0.02) best = { lag, value }
    }
    if (best.value > 0.5) found.push(16_000 / best.lag)
  }
  return found.sort((a, b) => a - b)[found.length >> 1] ?? 0
}

const correlation = (samples: Float32Array, at: number, lag: number): number => {
  let sum = 0
  for (let i = 0; i < 640; i++) sum += (samples[at + i] ?? 0) * (samples[at + i + lag] ?? 0)
  return sum
}

/** Share of zero crossings: a simple measure of a voice's brightness. */
export const brightness = (samples: Float32Array): number => {
  let crossings = 0
  for (let i = 1; i < samples.length; i++) if ((samples[i] ?? 0) >= 0 !== (samples[i - 1] ?? 0) >= 0) crossings++
  return crossings / samples.length
}
