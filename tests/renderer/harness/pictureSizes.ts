/** Widths and heights of generated pictures, in pixels. */
export const shapes = [
  [1024, 1024],
  [1536, 1024],
  [1024, 1536],
  [1792, 1024],
] as const

/** The size of a generated picture, for its data and its drawing. */
export function sizeOf(seed: number): { width: number; height: number } {
  const [width, height] = shapes[(seed * 7) % shapes.length] ?? shapes[0]
  return { width, height }
}
