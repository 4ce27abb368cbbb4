import { type Ref, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import { type Box, fitScale, fitted, held, moved, type ZoomState, zoomed } from './zoom.ts'

export interface ZoomHandle {
  zoom: (factor: number) => void
  fit: () => void
  /** Shows the picture at 100 percent. */
  real: () => void
  move: (dx: number, dy: number) => void
}

/**
 * A picture in a view. Wheel and pinch zoom at the pointer, a drag pans, a double click toggles 100 percent. Updates the picture without
 * React, because a wheel sends a hundred events per second.
 */
export function ZoomView(props: {
  src: string
  /** Shown until the full picture is loaded. */
  preview: string | null
  alt: string
  picture: Box
  ref: Ref<ZoomHandle>
  onScale: (scale: number) => void
  onBroken: () => void
}) {
  const { src, preview, alt, picture, ref, onScale, onBroken } = props
  const view = useRef<HTMLDivElement>(null)
  const image = useRef<HTMLImageElement>(null)
  const zoomState = useRef<ZoomState>({ scale: 1, x: 0, y: 0 })
  const { width, height } = picture

  const size = useCallback((): Box => {
    const box = view.current
    return { width: box?.clientWidth ?? 1, height: box?.clientHeight ?? 1 }
  }, [])
  const applyZoom = useCallback(
    (next: ZoomState): void => {
      zoomState.current = next
      const element = image.current
      const box = view.current
      if (!element || !box) return
      element.style.width = `${width * next.scale}px`
      element.style.height = `${height * next.scale}px`
      element.style.transform = `translate(-50%, -50%) translate(${next.x}px, ${next.y}px)`
      box.dataset.zoomed = String(next.scale > fitScale({ width, height }, size()) * 1.001)
      onScale(next.scale)
    },
    [width, height, size, onScale],
  )
  const zoomAt = useCallback(
    (factor: number, at: { x: number; y: number }): void =>
      applyZoom(zoomed(zoomState.current, factor, at, { width, height }, size())),
    [applyZoom, size, width, height],
  )
  useImperativeHandle(
    ref,
    () => ({
      zoom: (factor) => zoomAt(factor, { x: 0, y: 0 }),
      fit: () => applyZoom(fitted({ width, height }, size())),
      real: () => zoomAt(1 / zoomState.current.scale, { x: 0, y: 0 }),
      move: (dx, dy) => applyZoom(moved(zoomState.current, dx, dy, { width, height }, size())),
    }),
    [applyZoom, zoomAt, size, width, height],
  )

  // Fits a fitted picture again after a resize. A zoomed picture keeps its scale.
  useLayoutEffect(() => {
    const box = view.current
    if (!box) return
    let was = 0
    const refit = (): void => {
      const least = fitScale({ width, height }, size())
      const wasFitted = was === 0 || zoomState.current.scale <= was * 1.001
      was = least
      applyZoom(wasFitted ? fitted({ width, height }, size()) : held(zoomState.current, { width, height }, size()))
    }
    refit()
    const sizes = new ResizeObserver(refit)
    sizes.observe(box)
    return () => sizes.disconnect()
  }, [width, height, size, applyZoom])

  useEffect(() => {
    const box = view.current
    if (!box) return
    const fromMiddle = ({ clientX, clientY }: MouseEvent): { x: number; y: number } => {
      const { left, top, width: wide, height: tall } = box.getBoundingClientRect()
      return { x: clientX - left - wide / 2, y: clientY - top - tall / 2 }
    }
    // React's wheel listener is passive, so it cannot prevent the page zoom of a pinch.
    const wheel = (event: WheelEvent): void => {
      event.preventDefault()
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
      zoomAt(Math.exp((-event.deltaY * lines) / (event.ctrlKey ? 100 : 400)), fromMiddle(event))
    }
    const twice = (event: MouseEvent): void => {
      const isFitted = box.dataset.zoomed !== 'true'
      // A small picture is already at 100 percent when fitted, so the toggle uses 200.
      const goal = Math.max(1, fitScale({ width, height }, size()) * 2)
      if (isFitted) zoomAt(goal / zoomState.current.scale, fromMiddle(event))
      else applyZoom(fitted({ width, height }, size()))
    }
    const down = (event: PointerEvent): void => {
      if (event.button !== 0 || box.dataset.zoomed !== 'true') return
      box.setPointerCapture(event.pointerId)
    }
    const move = (event: PointerEvent): void => {
      if (!box.hasPointerCapture(event.pointerId)) return
      applyZoom(moved(zoomState.current, event.movementX, event.movementY, { width, height }, size()))
    }
    const ended = new AbortController()
    const { signal } = ended
    box.addEventListener('wheel', wheel, { passive: false, signal })
    box.addEventListener('dblclick', twice, { signal })
    box.addEventListener('pointerdown', down, { signal })
    box.addEventListener('pointermove', move, { signal })
    return () => ended.abort()
  }, [zoomAt, applyZoom, size, width, height])

  return (
    <div ref={view} className="lightbox-view">
      <img
        ref={image}
        src={src}
        alt={alt}
        draggable={false}
        // The preview appears at once, and the full picture covers it when decoded.
        style={preview === null ? {} : { backgroundImage: `url("${preview}")` }}
        onLoad={({ currentTarget }) => {
          // The preview must not show through transparent parts.
          currentTarget.style.backgroundImage = 'none'
        }}
        onError={onBroken}
      />
    </div>
  )
}
