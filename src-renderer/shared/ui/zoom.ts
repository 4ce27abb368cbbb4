/** Position of a picture in a view: `scale` relative to its pixels, and the offset of its centre from the view's centre in CSS pixels. */
export interface ZoomState {
  scale: number
  x: number
  y: number
}

export interface Box {
  width: number
  height: number
}

const largest = 16
/** The scale at which the whole picture is visible, at most 1: a picture smaller than the view is not enlarged. */
export const fitScale = (picture: Box, view: Box): number =>
  Math.min(1, view.width / Math.max(1, picture.width), view.height / Math.max(1, picture.height))

export const fitted = (picture: Box, view: Box): ZoomState => ({ scale: fitScale(picture, view), x: 0, y: 0 })

/** Limits panning: a picture larger than the view covers it, a smaller one is centred. */
export function held({ scale, x, y }: ZoomState, picture: Box, view: Box): ZoomState {
  const far = (side: number, feature: number): number => Math.max(0, (side * scale - feature) / 2)
  const within = (value: number, most: number): number => Math.min(most, Math.max(-most, value)) + 0
  return { scale, x: within(x, far(picture.width, view.width)), y: within(y, far(picture.height, view.height)) }
}

/** Zooms by `factor`. The point under the pointer (from the view's centre) stays in place. */
export function zoomed(
  now: ZoomState,
  factor: number,
  at: { x: number; y: number },
  picture: Box,
  view: Box,
): ZoomState {
  const fit = fitScale(picture, view)
  const scale = Math.min(Math.max(largest, fit), Math.max(fit, now.scale * factor))
  const by = scale / now.scale
  return held({ scale, x: at.x - (at.x - now.x) * by, y: at.y - (at.y - now.y) * by }, picture, view)
}

export const moved = (now: ZoomState, dx: number, dy: number, picture: Box, view: Box): ZoomState =>
  held({ ...now, x: now.x + dx, y: now.y + dy }, picture, view)
