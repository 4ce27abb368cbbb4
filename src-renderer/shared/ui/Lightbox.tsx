import './lightbox.css'
import {
  ChevronLeft,
  ChevronRight,
  Ellipsis,
  Grid3x3,
  ImageOff,
  Maximize,
  Pause,
  Play,
  X,
  ZoomIn,
  ZoomOut,
} from 'lucide-react'
import { type KeyboardEvent, type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from './Button.tsx'
import { useModal } from './Dialog.tsx'
import { LayerContext } from './layer.ts'
import { Menu, MenuItem, MenuLine } from './Menu.tsx'
import { type ZoomHandle, ZoomView } from './ZoomView.tsx'

export interface LightboxPicture {
  id: string
  src: string
  /** A smaller version that loads faster. */
  preview: string | null
  name: string
  width: number
  height: number
}

export interface LightboxProps {
  /** Null: closed. */
  picture: LightboxPicture | null
  /** From 0. */
  at: number
  count: number
  /** Shows another picture. A slideshow continues with the first after the last. */
  onGo: (at: number) => void
  onClose: () => void
  /** Shown after the name. */
  facts?: ReactNode
  /** Buttons with a label. */
  actions?: ReactNode
  /** Items of the menu with the other actions, after those of the view. */
  menu?: ReactNode
  /** Shown beside the picture. */
  side?: ReactNode
  /** Shown over the lower edge. */
  note?: ReactNode
  /** Handles additional keys. True when the press was handled. */
  onKey?: (event: KeyboardEvent) => boolean
  /** Starts as a slideshow. */
  playing?: boolean
  className?: string
}

/** Time per picture of a slideshow, ms. */
const stays = 4_000
const step = 1.25
/** Pan distance per arrow key press, CSS pixels. */
const stride = 80

/** One picture over the whole window: zoom, pan, next, slideshow. Uses the browser's own dialog, so Escape closes it. */
export function Lightbox(props: LightboxProps) {
  const { picture, onClose, className = '' } = props
  const { props: modal, layer } = useModal(picture !== null, onClose, true)
  const keys = useRef<KeyTaker>(null)
  return (
    <dialog
      {...modal}
      aria-label={picture?.name}
      className={`lightbox ${className}`}
      onKeyDown={(event) => keys.current?.(event)}
    >
      {picture && (
        <LayerContext value={layer}>
          <Shown {...props} picture={picture} keys={keys} />
        </LayerContext>
      )}
    </dialog>
  )
}

type KeyTaker = (event: KeyboardEvent) => void

function Shown(props: LightboxProps & { picture: LightboxPicture; keys: RefObject<KeyTaker | null> }) {
  const { t } = useTranslation('lightbox')
  const { picture, at, count, onGo, onClose } = props
  const zoom = useRef<ZoomHandle>(null)
  const percent = useRef<HTMLSpanElement>(null)
  const [broken, setBroken] = useState<string | null>(null)
  const [playing, setPlaying] = useState(props.playing ?? false)
  const isBroken = broken === picture.id
  useEffect(() => {
    if (!playing || count < 2) return
    const timer = setTimeout(() => onGo((at + 1) % count), stays)
    return () => clearTimeout(timer)
  }, [playing, at, count, onGo])
  const showZoom = useCallback(
    (scale: number): void => {
      if (percent.current) percent.current.textContent = t('zoom', { percent: Math.round(scale * 100) })
    },
    [t],
  )
  const go = (to: number): void => {
    if (to >= 0 && to < count) onGo(to)
  }
  const byKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || takesKeys(event)) return
    const action = event.shiftKey ? moves[event.key] : zooms[event.key]
    const goal = goals[event.key]?.(at, count)
    if (props.onKey?.(event)) event.preventDefault()
    else if (action && zoom.current) action(zoom.current)
    else if (goal !== undefined) go(goal)
    else if (event.key === ' ' && count > 1) setPlaying(!playing)
    else return
    event.preventDefault()
  }
  useEffect(() => {
    props.keys.current = byKey
  })
  return (
    <div className="lightbox-all">
      <header>
        <b dir="auto">{picture.name}</b>
        <span className="num lightbox-facts">{props.facts}</span>
        <span className="num lightbox-zoom" ref={percent} />
        {props.actions}
        <Menu trigger={<IconButton icon={Ellipsis} label={t('more')} />}>
          <MenuItem icon={ZoomIn} label={t('zoomIn')} onSelect={() => zoom.current?.zoom(step)} />
          <MenuItem icon={ZoomOut} label={t('zoomOut')} onSelect={() => zoom.current?.zoom(1 / step)} />
          <MenuItem icon={Maximize} label={t('fit')} onSelect={() => zoom.current?.fit()} />
          <MenuItem icon={Grid3x3} label={t('real')} onSelect={() => zoom.current?.real()} />
          {count > 1 && (
            <MenuItem
              icon={playing ? Pause : Play}
              label={t(playing ? 'pause' : 'play')}
              onSelect={() => setPlaying(!playing)}
            />
          )}
          {props.menu && (
            <>
              <MenuLine />
              {props.menu}
            </>
          )}
        </Menu>
        <IconButton icon={X} label={t('close')} shortcut={t('closeKey')} onClick={onClose} />
      </header>
      <div className="lightbox-body">
        <div className="lightbox-stage">
          {isBroken ? (
            <p className="lightbox-broken">
              <ImageOff aria-hidden size={20} /> {t('broken')}
            </p>
          ) : (
            <ZoomView
              key={picture.id}
              ref={zoom}
              src={picture.src}
              preview={picture.preview}
              alt={picture.name}
              picture={picture}
              onScale={showZoom}
              onBroken={() => setBroken(picture.id)}
            />
          )}
          {count > 1 && (
            <>
              <IconButton
                icon={ChevronLeft}
                label={t('previous')}
                disabled={at <= 0}
                onClick={() => go(at - 1)}
                className="lightbox-step"
                data-side="start"
              />
              <IconButton
                icon={ChevronRight}
                label={t('next')}
                disabled={at >= count - 1}
                onClick={() => go(at + 1)}
                className="lightbox-step"
                data-side="end"
              />
            </>
          )}
          {props.note}
        </div>
        {props.side}
      </div>
      <footer>
        <span role="status" className="num">
          {t('place', { at: at + 1, all: count })}
        </span>
        <span className="lightbox-keys">{t('keys')}</span>
      </footer>
    </div>
  )
}

const zooms: Record<string, (zoom: ZoomHandle) => void> = {
  '+': (zoom) => zoom.zoom(step),
  '=': (zoom) => zoom.zoom(step),
  '-': (zoom) => zoom.zoom(1 / step),
  '0': (zoom) => zoom.fit(),
  '1': (zoom) => zoom.real(),
}
const moves: Record<string, (zoom: ZoomHandle) => void> = {
  '+': (zoom) => zoom.zoom(step),
  ArrowLeft: (zoom) => zoom.move(stride, 0),
  ArrowRight: (zoom) => zoom.move(-stride, 0),
  ArrowUp: (zoom) => zoom.move(0, stride),
  ArrowDown: (zoom) => zoom.move(0, -stride),
}

const goals: Record<string, (at: number, count: number) => number> = {
  ArrowLeft: (at) => at - 1,
  PageUp: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  PageDown: (at) => at + 1,
  Home: () => 0,
  End: (_, count) => count - 1,
}

/** Fields, menus and trees handle keys themselves, and buttons handle the space bar. */
const takesKeys = ({ key, target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.closest('input, textarea, [role="menu"], [role="tree"]') !== null ||
    (key === ' ' && target instanceof HTMLButtonElement))
