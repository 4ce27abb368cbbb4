import { Pause, Play, Square } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { clockOf } from '../../shared/audio/durationText.ts'
import { type LivePlayer, livePeaksASecond } from '../../shared/audio/livePlayer.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { Pill } from '../../shared/ui/Pill.tsx'
import { Spinner } from '../../shared/ui/Spinner.tsx'
import { useNow } from '../../shared/useNow.ts'
import { lengthOf } from './labels.ts'
import { listenTo, stopListening, useListening } from './listening.ts'

/** px. Equal to the height of the stored sound, which replaces this one. */
const height = 144

/** Live playback, or the button to start it. */
export function LiveSound({ id }: { id: string }) {
  const { t } = useTranslation('speech')
  const studio = useStudio()
  const now = useListening((store) => (store.now?.id === id ? store.now : null))
  if (!now) {
    return (
      <Button variant="primary" size="large" icon={Play} className="self-start" onClick={() => listenTo(studio, id)}>
        {t('listen')}
      </Button>
    )
  }
  if (now.problem) return <ProblemNotice problem={now.problem} on={{ retry: () => listenTo(studio, id) }} />
  if (!now.player) return <Waiting />
  return <Playing player={now.player} />
}

/** Before the first sound: what is being waited for, and for how long. */
function Waiting() {
  const { t } = useTranslation('speech')
  const [since] = useState(Date.now)
  const seconds = Math.max(0, Math.floor((useNow(1000) - since) / 1000))
  return (
    <p className="flex min-h-36 items-center gap-2 text-s text-soft">
      <Spinner />
      <span role="status">{t('waitingFirst')}</span>
      {/* Outside of the status, so that a screen reader does not read every second. */}
      {seconds > 0 && <span className="num">{lengthOf(seconds)}</span>}
    </p>
  )
}

function Playing({ player }: { player: LivePlayer }) {
  const { t } = useTranslation('speech')
  const state = useStore(player.state, (now) => now.state)
  const second = useStore(player.state, (now) => Math.floor(now.time))
  const isSilent = useStore(player.state, (now) => now.arrived === 0)
  const arrived = useStore(player.state, (now) => Math.floor(now.arrived))
  const firstSoundMs = useStore(player.state, (now) => now.firstSoundMs)
  const error = useStore(player.state, (now) => now.error)
  if (error !== null) return <Notice kind="warn">{t('liveFailed')}</Notice>
  // Nothing can be paused before there is sound.
  if (isSilent && state === 'waiting') return <Waiting />
  const running = state === 'playing' || state === 'waiting'
  const times = { heard: clockOf(second), arrived: clockOf(arrived) }
  return (
    <div className="flex min-w-0 flex-col gap-2" data-live={state} data-first-sound={firstSoundMs ?? undefined}>
      <LiveWave player={player} label={t('liveLabel', times)} />
      <div className="flex flex-wrap items-center gap-2">
        <Button
          variant="primary"
          size="large"
          icon={running ? Pause : Play}
          onClick={running ? player.pause : player.play}
          className="me-1 min-w-24"
        >
          {t(running ? 'pause' : 'play')}
        </Button>
        <IconButton icon={Square} size="small" label={t('stopListening')} onClick={stopListening} />
        <span className="num text-s text-soft">{t('liveTime', times)}</span>
        {state === 'waiting' ? <Pill tone="muted">{t('waitingMore')}</Pill> : <Pill tone="good">{t('live')}</Pill>}
        {firstSoundMs !== null && (
          <span className="num text-faint text-s">{t('firstSound', { ms: Math.round(firstSoundMs) })}</span>
        )}
      </div>
    </div>
  )
}

/** The received peaks as bars. Played bars have the accent colour. */
function LiveWave({ player, label }: { player: LivePlayer; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const { current } = canvas
    if (!current) return
    let frame = 0
    const draw = (): void => {
      frame = 0
      paint(current, player)
    }
    const soon = (): void => {
      frame ||= requestAnimationFrame(draw)
    }
    const stop = player.state.subscribe(soon)
    const watcher = new ResizeObserver(soon)
    watcher.observe(current)
    soon()
    return () => {
      stop()
      watcher.disconnect()
      cancelAnimationFrame(frame)
    }
  }, [player])
  return (
    <canvas ref={canvas} role="img" aria-label={label} dir="ltr" className="wave-canvas block h-36 w-full rounded-m" />
  )
}

function paint(canvas: HTMLCanvasElement, { state }: LivePlayer): void {
  const { peaks, time } = state.getState()
  const { clientWidth: width } = canvas
  const scale = devicePixelRatio
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale)
  if (canvas.height !== height * scale) canvas.height = height * scale
  const context = canvas.getContext('2d')
  if (!context) return
  context.setTransform(scale, 0, 0, scale, 0, 0)
  context.clearRect(0, 0, width, height)
  const { color, caretColor } = getComputedStyle(canvas)
  // One bar per 3 px. Each bar is a tenth of a second while all bars fit, and longer afterwards.
  const bars = Math.max(1, Math.floor(width / 3))
  const each = Math.max(1, peaks.length / bars)
  const top = peaks.reduce((most, value) => Math.max(most, value), 0.05)
  for (let bar = 0; bar * each < peaks.length; bar++) {
    let value = 0
    for (let index = Math.floor(bar * each); index < (bar + 1) * each; index++)
      value = Math.max(value, peaks[index] ?? 0)
    const tall = Math.max(2, (value / top) * (height - 4))
    context.fillStyle = (bar * each) / livePeaksASecond < time ? caretColor : color
    context.fillRect(bar * 3, (height - tall) / 2, 2, tall)
  }
}
