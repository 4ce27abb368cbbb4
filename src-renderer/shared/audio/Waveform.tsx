import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import { useStudio } from '../studioContext.ts'
import { cx } from '../ui/cx.ts'
import { Notice } from '../ui/Notice.tsx'
import { spanOf } from './durationText.ts'
import { heightsOf, NoOverview, type Overview, overviewOf } from './peaks.ts'
import { WaveControls } from './WaveControls.tsx'
import { drawWave, type WaveDrawing } from './waveDrawing.ts'
import { type WaveKey, waveAction, waveKey } from './waveKeys.ts'
import { openWavePlayer, type WavePlayer } from './wavePlayer.ts'
import './wave.css'

/** The functions of a waveform for its page. Times in s. */
export interface WaveformHandle
  extends Pick<WavePlayer, 'play' | 'pause' | 'toggle' | 'seek' | 'setSpeed' | 'setLoop'> {
  time(): number
  /** Handles a key press. */
  press(key: WaveKey): void
  focus(): void
}

export interface WaveformProps {
  /** Id of a stored file below `/media/`. Use it as `key` too: another id needs a new component. */
  mediaId: string
  mime: string
  /** Duration in s, if the core knows it. For formats without a duration, the browser's value is a guess. */
  seconds?: number | null
  /** Samples per second of `audio/pcm`, which has no header. */
  pcmRate?: number
  /** Accessible name, for example the name of the recording. */
  label: string
  /** px */
  height?: number
  /** The main content of its page: taller, with a large Play button. */
  large?: boolean
  /** Positions of parts or cues, s. */
  marks?: readonly number[]
  /** Called at each frame during playback, and after each seek. */
  onTime?: (time: number) => void
  /** Called when the sound can be played, with its duration in s. */
  onReady?: (seconds: number) => void
  onPlaying?: (playing: boolean) => void
  /** Shown at the end of the controls. */
  children?: ReactNode
  ref?: Ref<WaveformHandle>
}

/** The waveform of a stored sound: a slider over its time, with controls below. */
export function Waveform(props: WaveformProps) {
  const { mediaId, mime, seconds = null, pcmRate = 24_000, onTime, onReady, onPlaying, ref } = props
  const callbacks = useRef({ onTime, onReady, onPlaying })
  callbacks.current = { onTime, onReady, onPlaying }
  const [player, setPlayer] = useState<WavePlayer | null>(null)
  const rate = mime === 'audio/pcm' || mime.startsWith('audio/L16') ? pcmRate : null
  // biome-ignore lint/correctness/useExhaustiveDependencies: a later duration is passed to the same player
  useEffect(() => {
    const address = new URL(mediaPath(mediaId), location.href).href
    const opened = openWavePlayer(address, { pcmRate: rate, seconds }, (time) => callbacks.current.onTime?.(time))
    const stop = opened.state.subscribe((now, before) => {
      if (now.ready && !before.ready) callbacks.current.onReady?.(now.seconds)
      if (now.playing !== before.playing) callbacks.current.onPlaying?.(now.playing)
    })
    setPlayer(opened)
    return () => {
      stop()
      opened.close()
    }
  }, [mediaId, rate])
  useEffect(() => {
    if (seconds !== null) player?.setSeconds(seconds)
  }, [player, seconds])
  const slider = useRef<HTMLDivElement>(null)
  useImperativeHandle(
    ref,
    () => ({
      play: () => player?.play(),
      pause: () => player?.pause(),
      toggle: () => player?.toggle(),
      seek: (time) => player?.seek(time),
      setSpeed: (speed) => player?.setSpeed(speed),
      setLoop: (loop) => player?.setLoop(loop),
      time: () => player?.state.getState().time ?? 0,
      press: (key) => player && waveAction(key, player),
      focus: () => slider.current?.focus(),
    }),
    [player],
  )
  if (!player) return null
  return <Opened {...props} player={player} rate={rate} slider={slider} />
}

function Opened({
  mediaId,
  label,
  seconds: given = null,
  large = false,
  height = large ? 144 : 72,
  marks = [],
  children,
  player,
  rate,
  slider,
}: WaveformProps & { player: WavePlayer; rate: number | null; slider: Ref<HTMLDivElement> }) {
  const { t } = useTranslation('audio')
  const hint = useId()
  const { box, overview, failed } = useDrawing(player, mediaId, rate, given, height)
  const trouble = useStore(player.state, (state) => state.trouble)
  const seconds = useStore(player.state, (state) => state.seconds)
  const second = useStore(player.state, (state) => Math.floor(state.time))
  const loop = useStore(player.state, (state) => state.loop)
  const spoken = useSpoken()
  const pointer = usePointer(player)
  const share = (time: number): string => `${seconds > 0 ? Math.min(100, (time / seconds) * 100) : 0}%`
  return (
    <div className="wave" dir="ltr">
      <div
        ref={slider}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-describedby={hint}
        aria-valuemin={0}
        aria-valuemax={Math.ceil(seconds)}
        aria-valuenow={second}
        aria-valuetext={
          seconds > 0
            ? t('at', { time: spoken(second), length: spoken(seconds) })
            : t('atUnknown', { time: spoken(second) })
        }
        title={t('loopHint')}
        data-state={failed ? 'none' : overview === null ? 'drawing' : overview.whole ? 'whole' : 'rough'}
        hidden={trouble !== null && overview === null}
        className={cx('wave-box', overview && !overview.whole && 'wave-rough')}
        onKeyDown={(event: KeyboardEvent) => {
          if (waveKey(event, player)) event.preventDefault()
        }}
        {...pointer}
      >
        <div ref={box} className="wave-canvas" />
        {marks.map((time) => (
          <span key={time} aria-hidden className="wave-mark" style={{ left: share(time) }} />
        ))}
        {loop && (
          <span
            aria-hidden
            className="wave-loop"
            style={{ left: share(loop.from), width: share(loop.to - loop.from) }}
          />
        )}
      </div>
      <span id={hint} className="sr-only">
        {t('keys')}
      </span>
      {trouble && (
        <Notice
          kind="warn"
          role="status"
          {...(trouble === 'lost' && { action: { label: t('tryAgain'), onClick: player.retry } })}
        >
          {t(trouble)}
        </Notice>
      )}
      {failed && !trouble && <p className="text-faint text-s">{t('noOverview')}</p>}
      <WaveControls player={player} large={large}>
        {children}
      </WaveControls>
    </div>
  )
}

/** Draws the waveform, first flat, then with the peaks as they become known. */
function useDrawing(player: WavePlayer, mediaId: string, rate: number | null, given: number | null, height: number) {
  const client = useStudio()
  const box = useRef<HTMLDivElement>(null)
  const [overview, setOverview] = useState<Overview | null>(null)
  const [failed, setFailed] = useState(false)
  const known = useRef(given)
  known.current = given
  useEffect(() => {
    const { current: place } = box
    if (!place) return
    const ended = new AbortController()
    const { signal } = ended
    const drawing = drawWave(place, player.audio, height, coloursOf(place))
    const stopColours = onTheme(() => drawing.setColours(coloursOf(place)))
    setOverview(null)
    setFailed(false)
    const stopFlat = showFlat(drawing, player)
    const address = new URL(mediaPath(mediaId), location.href).href
    overviewOf(
      client,
      { mediaId, address, pcmRate: rate },
      (next) => {
        stopFlat()
        if (known.current === null) player.setSeconds(next.seconds)
        // The core's duration has priority, because peaks can be older than a change of the sample rate.
        drawing.show(heightsOf(next.peaks), known.current ?? next.seconds)
        setOverview(next)
      },
      signal,
    ).catch((thrown: unknown) => {
      if (!signal.aborted) setFailed(thrown instanceof NoOverview)
    })
    return () => {
      ended.abort()
      stopFlat()
      stopColours()
      drawing.close()
    }
  }, [client, player, mediaId, rate, height])
  return { box, overview, failed }
}

/**
 * Draws a flat line until the peaks are known, so that the position is visible at once. Returns a function that stops waiting for the
 * duration.
 */
function showFlat(drawing: WaveDrawing, { state }: WavePlayer): () => void {
  let stop = (): void => undefined
  const show = (): void => {
    const { seconds, ready } = state.getState()
    if (seconds === 0 || !ready) return
    stop()
    drawing.show(new Float32Array(2), seconds)
  }
  stop = state.subscribe(show)
  show()
  return stop
}

function coloursOf(place: HTMLElement): { wave: string; played: string } {
  const { color, caretColor } = getComputedStyle(place)
  return { wave: color, played: caretColor }
}

function onTheme(changed: () => void): () => void {
  const query = matchMedia('(prefers-color-scheme: dark)')
  const watcher = new MutationObserver(changed)
  query.addEventListener('change', changed)
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return () => {
    query.removeEventListener('change', changed)
    watcher.disconnect()
  }
}

/** A click seeks, a drag scrubs, and a drag with Shift marks a loop. */
function usePointer(player: WavePlayer) {
  return useMemo(() => {
    let from: number | null = null
    const timeAt = (event: PointerEvent<HTMLElement>): number => {
      const { left, width } = event.currentTarget.getBoundingClientRect()
      const share = width > 0 ? Math.min(1, Math.max(0, (event.clientX - left) / width)) : 0
      return share * player.state.getState().seconds
    }
    return {
      onPointerDown(event: PointerEvent<HTMLElement>) {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        if (event.shiftKey) from = timeAt(event)
        else player.seek(timeAt(event))
      },
      onPointerMove(event: PointerEvent<HTMLElement>) {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
        if (from === null) player.seek(timeAt(event))
        else player.setLoop({ from, to: timeAt(event) })
      },
      onPointerUp: () => {
        from = null
      },
      onPointerCancel: () => {
        from = null
      },
    }
  }, [player])
}

/** A time as spoken text: "1 minute 5 seconds". */
function useSpoken(): (time: number) => string {
  const { t } = useTranslation('audio')
  return (time) => {
    const { hours, minutes, seconds } = spanOf(time)
    const parts = [
      hours > 0 && t('hours', { count: hours }),
      minutes > 0 && t('minutes', { count: minutes }),
      (seconds > 0 || (hours === 0 && minutes === 0)) && t('seconds', { count: seconds }),
    ]
    return parts.filter(Boolean).join(' ')
  }
}
