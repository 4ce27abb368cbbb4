import './handsFree.css'
import { AudioLines, Mic, Pause, Play, RotateCw, X } from 'lucide-react'
import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LevelMeter } from '../../../shared/audio/LevelMeter.tsx'
import { composerField } from '../../../shared/composerField.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { Button, IconButton } from '../../../shared/ui/Button.tsx'
import { Select } from '../../../shared/ui/Select.tsx'
import { StatusText } from '../../../shared/ui/StatusText.tsx'
import { useEscapeToStop } from '../hooks.ts'
import { fineSeconds } from '../messages.ts'
import { useDictation } from '../voice/dictation.ts'
import {
  handsFreeLevel,
  holdToTalk,
  pauseHandsFree,
  resumeHandsFree,
  retryHandsFree,
  setTurnInput,
  skipHandsFree,
  startHandsFree,
  stopHandsFree,
  useHandsFree,
} from './conversation.ts'
import { type HandsFreeFailure, phaseOf } from './conversationState.ts'
import type { TurnTiming } from './timing.ts'

/** Presses shorter than this switch recording on or off, because screen readers and switches cannot hold a key, ms. */
const shortPressMs = 350

export function HandsFreeButton() {
  const { t } = useTranslation('handsFree')
  const on = useHandsFree(({ state }) => state.on)
  const dictates = useDictation(({ now }) => now.state !== 'off' && now.state !== 'no_microphone')
  return (
    <IconButton
      icon={AudioLines}
      label={t(on ? 'end' : 'start')}
      pressed={on}
      disabled={dictates}
      onClick={on ? end : startHandsFree}
    />
  )
}

function end(): void {
  stopHandsFree()
  composerField()?.focus()
}

/** The state of the voice conversation, above the message field. Empty while off. */
export function HandsFreeBar() {
  const on = useHandsFree(({ state }) => state.on)
  useEscapeToStop(on, end)
  // The state must be visible while the microphone is open, so leaving the page ends the conversation.
  useEffect(() => stopHandsFree, [])
  return on ? <Conversation /> : null
}

const meter = { level: handsFreeLevel, paused: () => false }

function Conversation() {
  const { t } = useTranslation(['handsFree', 'audio'])
  const state = useHandsFree((store) => store.state)
  const muted = useHandsFree((store) => store.muted)
  const timing = useHandsFree((store) => store.timing)
  const pauseButton = useRef<HTMLButtonElement>(null)
  // The person may have started by the keyboard, and the field would take the keys of push to talk.
  useEffect(() => pauseButton.current?.focus(), [])
  const phase = phaseOf(state)
  const isHeld = state.input === 'hold'
  const text = t(phase === 'listening' && isHeld ? 'listeningHold' : phase === 'off' ? 'paused' : phase)
  const isAnnounced = phase === 'listening' || phase === 'thinking' || phase === 'paused' || phase === 'permission'
  const isOpen = state.microphone === 'open' && phase !== 'paused'
  return (
    <section className="hands-free" aria-label={t('region')} data-phase={phase}>
      {/* Other phases are audible, or the announcement would be spoken while the microphone records. */}
      <StatusText>{isAnnounced && text}</StatusText>
      {state.failure && <Failure failure={state.failure} />}
      <div className="composer-bar">
        <span className="composer-recording-dot hands-free-dot" aria-hidden />
        <span className="hands-free-phase">
          {text}
          {phase === 'speaking' && !isHeld && <small>{t('interruptHint')}</small>}
        </span>
        {isOpen && <LevelMeter recording={meter} label={t('level')} className="composer-level h-[5px] w-[80px]" />}
        {isOpen && isHeld && <HoldButton />}
        <Select
          label={t('input')}
          className="hands-free-input w-36"
          value={state.input}
          choices={[
            { value: 'automatic', label: t('automatic') },
            { value: 'hold', label: t('hold') },
          ]}
          onPick={setTurnInput}
        />
        {!state.failure && (
          <IconButton
            ref={pauseButton}
            icon={state.paused ? Play : Pause}
            size="small"
            label={t(state.paused ? 'resume' : 'pause')}
            onClick={state.paused ? resumeHandsFree : pauseHandsFree}
          />
        )}
        <IconButton icon={X} size="small" label={t('end')} shortcut="Esc" onClick={end} />
        {muted && isOpen && <span role="alert">{t('audio:microphoneMuted')}</span>}
        {timing && <Timing timing={timing} />}
      </div>
    </section>
  )
}

function Timing({ timing }: { timing: TurnTiming }) {
  const { t } = useTranslation('handsFree')
  const { total, pause, transcript, text, voice } = timing
  const parts = { pause, transcript, text, voice }
  return (
    <span className="composer-bar-facts num hands-free-timing" data-total={Math.round(total)}>
      <span>{t('firstSound', { seconds: fineSeconds(total) })}</span>
      <span>
        {t(
          'parts',
          Object.fromEntries(Object.entries(parts).map(([name, ms]) => [name, fineSeconds(ms)])) as Record<
            keyof typeof parts,
            string
          >,
        )}
      </span>
    </span>
  )
}

function Failure({ failure }: { failure: HandsFreeFailure }) {
  const { t } = useTranslation(['handsFree', 'audio'])
  const problem = 'problem' in failure ? failure.problem : null
  const reason = {
    microphone: failure.kind === 'microphone' ? t(`audio:microphone.${failure.trouble}`) : '',
    transcribe: '',
    send: t('cannotSend'),
    reply: t('cannotReply'),
    speak: '',
  }[failure.kind]
  return (
    <div className="composer-bar composer-bar-tall" role="alert">
      {problem && <ProblemNotice problem={problem} role="note" />}
      <span>{reason}</span>
      <Button size="small" icon={RotateCw} onClick={retryHandsFree}>
        {t('retry')}
      </Button>
      {failure.kind !== 'microphone' && (
        <Button size="small" variant="plain" onClick={skipHandsFree}>
          {t('skip')}
        </Button>
      )}
    </div>
  )
}

/** Records while it is held, by pointer or by Space or Enter. A short press switches recording on, the next one off. */
function HoldButton() {
  const { t } = useTranslation('handsFree')
  const [held, setHeld] = useState(false)
  const pressedAt = useRef<number | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  const talk = (on: boolean): void => {
    setHeld(on)
    holdToTalk(on)
  }
  useEffect(() => {
    button.current?.focus()
    return () => holdToTalk(false)
  }, [])
  /** Whether the press ends a recording that a short press began. */
  const ends = useRef(false)
  const down = (): void => {
    if (pressedAt.current !== null) return
    pressedAt.current = performance.now()
    ends.current = held
    if (!held) talk(true)
  }
  const up = (): void => {
    if (pressedAt.current === null) return
    const long = performance.now() - pressedAt.current >= shortPressMs
    pressedAt.current = null
    if (long || ends.current) talk(false)
  }
  const isTalkKey = (key: string): boolean => key === ' ' || key === 'Enter'
  return (
    <Button
      ref={button}
      size="small"
      icon={Mic}
      variant={held ? 'primary' : 'normal'}
      aria-pressed={held}
      className="hands-free-hold"
      onPointerDown={(event: PointerEvent) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        down()
      }}
      onPointerUp={up}
      onPointerCancel={up}
      onKeyDown={(event) => {
        if (!isTalkKey(event.key)) return
        event.preventDefault()
        if (!event.repeat) down()
      }}
      onKeyUp={(event) => {
        if (!isTalkKey(event.key)) return
        event.preventDefault()
        up()
      }}
      // Screen readers send a click without keys or pointer.
      onClick={(event) => {
        if (event.detail === 0 && pressedAt.current === null) talk(!held)
      }}
      onBlur={() => {
        if (held) {
          pressedAt.current = null
          talk(false)
        }
      }}
    >
      {t(held ? 'release' : 'holdToTalk')}
    </Button>
  )
}
