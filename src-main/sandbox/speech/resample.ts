const halfTaps = 16
const phases = 512

/** Windowed sinc (Blackman) at `phases` sub-sample positions; `cutoff` is relative to the source's Nyquist frequency. */
const kernel = (cutoff: number): Float32Array => {
  const table = new Float32Array((phases + 1) * halfTaps * 2)
  for (let phase = 0; phase <= phases; phase++) {
    for (let tap = 0; tap < halfTaps * 2; tap++) {
      const x = tap - halfTaps + 1 - phase / phases
      const sinc = x === 0 ? 1 : Math.sin(Math.PI * x * cutoff) / (Math.PI * x * cutoff)
      const w = (x + halfTaps) / (2 * halfTaps)
      const window = 0.42 - 0.5 * Math.cos(2 * Math.PI * w) + 0.08 * Math.cos(4 * Math.PI * w)
      table[phase * halfTaps * 2 + tap] = cutoff * sinc * window
    }
  }
  return table
}

/** Changes the sample rate of a mono signal. Rates in Hz, need not be whole. */
export const resample = (samples: Float32Array, from: number, to: number): Float32Array => {
  if (from === to || samples.length === 0) return samples
  const table = kernel(Math.min(1, to / from) * 0.97)
  const out = new Float32Array(Math.max(1, Math.floor((samples.length * to) / from)))
  for (let i = 0; i < out.length; i++) {
    const position = (i * from) / to
    const whole = Math.floor(position)
    const row = Math.round((position - whole) * phases) * halfTaps * 2
    const first = whole - halfTaps + 1
    let sum = 0
    for (let tap = Math.max(0, -first); tap < halfTaps * 2; tap++) {
      const at = first + tap
      if (at >= samples.length) break
      sum += (samples[at] ?? 0) * (table[row + tap] ?? 0)
    }
    out[i] = sum
  }
  return out
}
