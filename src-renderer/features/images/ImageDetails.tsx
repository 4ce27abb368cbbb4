import { showNames, showSpan } from '../../i18n/format.ts'
import './drawings.css'
import { Ban, CircleAlert, Download, RotateCw, Square, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useShallow } from 'zustand/shallow'
import type { Drawing, ImageSlot } from '../../../src-preload/contract/images.ts'
import { mediaPath } from '../../../src-preload/contract/media.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { problemTargets } from '../../shared/errors/actions.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { problemTexts } from '../../shared/errors/texts.ts'
import { WaitInstead } from '../../shared/offline/ConnectionNote.tsx'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { CopyButton } from '../../shared/ui/CopyButton.tsx'
import { Facts } from '../../shared/ui/Facts.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { plainText } from '../../shared/ui/plainText.ts'
import { Spinner } from '../../shared/ui/Spinner.tsx'
import { StatusText } from '../../shared/ui/StatusText.tsx'
import { useNow } from '../../shared/useNow.ts'
import { isMaking, onStage, savedCount, useImages } from '../../stores/images.ts'
import { cancel, dismissed, drawAgain, openLightbox, reuseDrawing, saveFiles } from './actions.ts'
import { srcOf } from './thumbs.ts'

/** The running drawings, or the latest incomplete ones with one slot per requested image. */
export function ImageDetails({ running }: { running: boolean }) {
  const { t } = useTranslation('images')
  const drawings = useImages(useShallow((store) => onStage(store).filter((drawing) => isMaking(drawing) === running)))
  return (
    <section
      aria-label={t(running ? 'under.region' : 'under.incomplete')}
      className="images-under"
      hidden={drawings.length === 0}
    >
      {drawings.map((drawing) => (
        <Strip key={drawing.id} drawing={drawing} />
      ))}
    </section>
  )
}

function Strip({ drawing }: { drawing: Drawing }) {
  const { t } = useTranslation('images')
  const [cancelling, setCancelling] = useState(false)
  const making = isMaking(drawing)
  const kept = savedCount(drawing)
  const stop = async (): Promise<void> => {
    setCancelling(true)
    await cancel(drawing.id)
    setCancelling(false)
  }
  const label = t(making ? 'under.label' : 'under.ended', { prompt: drawing.prompt.slice(0, 200) })
  return (
    <article aria-label={label} data-drawing={drawing.id} data-state={drawing.state} className="images-strip">
      <header>
        {making && <Spinner />}
        <p dir="auto" title={drawing.prompt} className="images-strip-prompt">
          {drawing.prompt}
        </p>
        <span className="num images-strip-facts">
          <Facts>
            {making ? <Running drawing={drawing} /> : t(`under.state.${drawing.state}`)}
            {drawing.slots.length > 1 && t('under.of', { kept, all: drawing.slots.length })}
          </Facts>
        </span>
        {making ? (
          <Button size="small" icon={Square} busy={cancelling} onClick={() => void stop()}>
            {t(cancelling ? 'under.cancelling' : 'under.cancel')}
          </Button>
        ) : (
          <>
            {!hasRetry(drawing) && (
              <Button size="small" icon={RotateCw} onClick={() => void drawAgain(drawing)}>
                {t('under.again')}
              </Button>
            )}
            {kept === 0 && <WaitInstead what="images" id={drawing.id} problem={drawing.problem} />}
            <IconButton icon={X} size="small" label={t('under.dismiss')} onClick={() => void dismissed(drawing)} />
          </>
        )}
      </header>
      {/* The images of a running drawing have their places in the gallery. */}
      {!making && drawing.slots.some(({ state }) => state === 'kept' || state === 'refused') && (
        <ul className="images-slots">
          {drawing.slots.map((slot) => (
            <Slot key={slot.index} slot={slot} />
          ))}
        </ul>
      )}
      {!making &&
        troublesOf(drawing).map((trouble) => (
          <Refused key={trouble.slots[0]?.index} trouble={trouble} many={drawing.slots.length > 1} />
        ))}
      <Ending drawing={drawing} kept={kept} />
      <StatusText>{making && kept > 0 && t('under.arrived', { count: kept })}</StatusText>
    </article>
  )
}

/** Whether the notice below already offers a retry. */
const hasRetry = ({ state, problem, slots }: Drawing): boolean =>
  state === 'failed' &&
  problem !== null &&
  problemTargets[problem.kind] === 'retry' &&
  !slots.some((slot) => slot.state === 'refused')

/** What a running drawing waits for, and the time since its request. */
function Running({ drawing: { createdAt, slots } }: { drawing: Drawing }) {
  const { t } = useTranslation('images')
  const now = useNow(100)
  const fetching = slots.some(({ state }) => state === 'fetching')
  return (
    <Facts>
      {t(fetching ? 'under.fetching' : 'under.waiting')}
      {showSpan(Math.max(0, now - new Date(createdAt).getTime()) / 1_000)}
    </Facts>
  )
}

function Slot({ slot }: { slot: ImageSlot }) {
  const { t } = useTranslation('images')
  const { state, imageId } = slot
  if (state === 'kept' && imageId !== null) return <Kept imageId={imageId} />
  const ended = state !== 'refused' ? 'none' : slot.fileId === null ? 'refused' : 'notShown'
  const Icon = state === 'refused' ? Ban : CircleAlert
  return (
    <li className="images-slot" data-state={state}>
      <Icon aria-hidden size={16} />
      <span>{t(`under.${ended}`)}</span>
    </li>
  )
}

function Kept({ imageId }: { imageId: string }) {
  const { t } = useTranslation('images')
  const image = useImages((store) => store.images.find(({ id }) => id === imageId))
  const noThumb = useImages((store) => store.noThumb)
  const src = image && (srcOf(image, noThumb) ?? mediaPath(image.mediaId))
  return (
    <li className="images-slot" data-state="kept">
      {image && src && (
        <button type="button" aria-label={t('actions.open')} onClick={() => openLightbox(image.id)}>
          <img src={src} alt={image.prompt} />
        </button>
      )}
    </li>
  )
}

/** Slots with the same problem. */
interface Trouble {
  /** The first slot's problem. Null when the person stopped the drawing. */
  problem: Problem | null
  slots: ImageSlot[]
}

/** The distinct problems of a drawing's slots. `Ending` shows the problem of the whole drawing. */
function troublesOf({ slots, problem: whole }: Drawing): Trouble[] {
  const troubles = new Map<string, Trouble>()
  for (const slot of slots) {
    const { state, problem, address } = slot
    const own = state === 'failed' && (address !== null || problem?.message !== whole?.message)
    if (state !== 'refused' && !own) continue
    const ended = problem === null || problem.kind === 'cancelled'
    const key = ended ? '' : `${problem.kind} ${problem.message}`
    const trouble = troubles.get(key) ?? { problem: ended ? null : problem, slots: [] }
    trouble.slots.push(slot)
    troubles.set(key, trouble)
  }
  return [...troubles.values()]
}

/** Why images were refused, and their reported addresses. The addresses are text to copy: never loaded, never links. */
function Refused({ trouble: { problem, slots }, many }: { trouble: Trouble; many: boolean }) {
  const { t } = useTranslation(['images', 'problems'])
  const numbers = showNames(slots.map(({ index }) => String(index + 1)))
  const title = problem ? problemTexts(problem).title : t('under.notFetched')
  const addresses = slots.flatMap(({ address }) => address ?? [])
  const files = slots.flatMap(({ fileId, index }) => (fileId === null ? [] : [{ fileId, number: index + 1 }]))
  const name = many ? `${numbers}. ${title}` : title
  const help = (
    <>
      {files.length > 0 && <p className="basis-full">{t('under.fileKept')}</p>}
      {files.map(({ fileId, number }) => (
        <Button key={fileId} size="small" icon={Download} onClick={() => void saveFiles([fileId])}>
          {files.length > 1 ? t('under.saveFileOf', { number }) : t('under.saveFile')}
        </Button>
      ))}
      {addresses.length > 0 && (
        <ul aria-label={t('under.addresses', { count: addresses.length })} className="images-addresses basis-full">
          {addresses.map((address) => (
            <li key={address}>
              <code>{plainText(address)}</code>
              <CopyButton size="small" text={address} name={t('under.copyAddress')} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
  if (problem === null) return <Notice kind="info" title={name} buttons={help} />
  return (
    <ProblemNotice problem={problem} title={name} noAction role="note">
      {help}
    </ProblemNotice>
  )
}

/** Explains the end of an incomplete drawing. */
function Ending({ drawing, kept }: { drawing: Drawing; kept: number }) {
  const { t } = useTranslation('images')
  const { state, problem } = drawing
  const reported = drawing.slots.some((slot) => slot.state === 'refused' && slot.problem?.kind === problem?.kind)
  if (state === 'cancelled')
    return <p className="images-said">{t(kept > 0 ? 'under.cancelled' : 'under.cancelledNone')}</p>
  if (state === 'cut') return <p className="images-said">{t('under.cut')}</p>
  if (!problem || reported) return null
  return (
    <ProblemNotice
      problem={problem}
      on={{ retry: () => void drawAgain(drawing), edit: () => reuseDrawing(drawing) }}
      role="alert"
    />
  )
}
