import { Pause, Play, Repeat } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { Button, IconButton } from '../ui/Button.tsx'
import { cx } from '../ui/cx.ts'
import { Select } from '../ui/Select.tsx'
import { clockOf } from './durationText.ts'
import { type WavePlayer, waveSpeeds } from './wavePlayer.ts'

/** The controls below a waveform: play, position, loop and speed. `children` follow at the end. */
export function WaveControls(props: { player: WavePlayer; large: boolean; children?: ReactNode }) {
  const { player, large, children } = props
  const { t } = useTranslation('audio')
  const playing = useStore(player.state, (state) => state.playing)
  const ready = useStore(player.state, (state) => state.ready && state.trouble === null)
  const seconds = useStore(player.state, (state) => state.seconds)
  const second = useStore(player.state, (state) => Math.floor(state.time))
  const speed = useStore(player.state, (state) => state.speed)
  const loop = useStore(player.state, (state) => state.loop)
  const ends = loop && { from: clockOf(loop.from), to: clockOf(loop.to) }
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1.5">
      {large ? (
        <Button
          variant="primary"
          size="large"
          icon={playing ? Pause : Play}
          disabled={!ready}
          onClick={player.toggle}
          className="me-1 min-w-24"
        >
          {t(playing ? 'pause' : 'play')}
        </Button>
      ) : (
        <IconButton
          icon={playing ? Pause : Play}
          label={t(playing ? 'pause' : 'play')}
          disabled={!ready}
          onClick={player.toggle}
          className="bg-raise text-ink shadow-[inset_0_0_0_1px_var(--line-strong)]"
        />
      )}
      <span className={cx('num text-soft', large ? 'text-m' : 'text-s')}>
        {clockOf(second, seconds)}
        {seconds > 0 && <span className="text-faint"> / {clockOf(seconds)}</span>}
      </span>
      <IconButton
        icon={Repeat}
        size="small"
        label={ends ? t('loopEnd', ends) : t('loopAll')}
        pressed={loop !== null}
        disabled={!ready}
        onClick={() => player.setLoop(loop ? null : { from: 0, to: seconds })}
      />
      {ends && <span className="num text-faint text-s max-[800px]:hidden">{t('looping', ends)}</span>}
      <Select
        label={t('speed')}
        className="w-[76px]"
        value={String(speed)}
        choices={waveSpeeds.map((value) => ({ value: String(value), label: t('speedOf', { speed: value }) }))}
        onPick={(value) => player.setSpeed(Number(value))}
      />
      {children !== undefined && <span className="ms-auto flex min-w-0 items-center gap-1">{children}</span>}
    </div>
  )
}
