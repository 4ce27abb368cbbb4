/** How a picture stands in a view: `scale` of its real pixels, and where its middle is from the view's middle, in CSS pixels. */
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
/** A picture smaller than the view is not blown up to it. */
export const fitScale = (picture: Box, view: Box): number =>
  Math.min(1, view.width / Math.max(1, picture.width), view.height / Math.max(1, picture.height))

export const fitted = (picture: Box, view: Box): ZoomState => ({ scale: fitScale(picture, view), x: 0, y: 0 })

/** A picture is never dragged out of sight: where it is larger than the view it covers it, else it stands in its middle. */
export function held({ scale, x, y }: ZoomState, picture: Box, view: Box): ZoomState {
  const far = (side: number, feature: number): number => Math.max(0, (side * scale - feature) / 2)
  const within = (value: number, most: number): number => Math.min(most, Math.max(-most, value)) + 0
  return { scale, x: within(x, far(picture.width, view.width)), y: within(y, far(picture.height, view.height)) }
}

/** Larger or smaller by `factor`, with what lies at a point (from the view's middle) staying there. */
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
