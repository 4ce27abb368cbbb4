import { Check, Circle, Eye, ImageOff, RotateCw, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useShallow } from 'zustand/shallow'
import type { Attachment } from '../../../../src-preload/contract/chat.ts'
import { mediaPath } from '../../../../src-preload/contract/media.ts'
import { joinFacts, showSize } from '../../../i18n/format.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Menu, MenuItem } from '../../../shared/ui/Menu.tsx'
import { modelsToAsk, useChat } from '../../../stores/chat.ts'
import { useStage } from '../../../stores/chatPage.ts'
import { betterForImages, useModelFacts } from '../../../stores/modelFacts.ts'
import { ActionButton } from '../actionButtons.tsx'
import { loadModelFacts, pickModel } from '../actions.ts'
import {
  attachmentsOf,
  type DraftPicture,
  draftPictures,
  largestFile,
  maxPictures,
  type PictureTrouble,
} from './draftPictures.ts'
import { largestBytes } from './fit.ts'
import { Hint } from './Hint.tsx'
import { Lightbox } from './Lightbox.tsx'
import type { Prepared, Size } from './prepare.ts'
import { useKnownRefusal } from './refusals.ts'

type Detail = NonNullable<Attachment['detail']>
const details: readonly Detail[] = ['auto', 'low', 'high']
const words = { auto: 'detailAuto', low: 'detailLow', high: 'detailHigh' } as const
const abouts = { auto: 'detailAutoAbout', low: 'detailLowAbout', high: 'detailHighAbout' } as const

/** The pictures of the draft, above the field. */
export function PictureTray({ draft }: { draft: string }) {
  const { t } = useTranslation('composer')
  const pictures = draftPictures.useItems(draft)
  const leftOut = draftPictures.useLeftOut(draft)
  const [shown, setShown] = useState<string | null>(null)
  if (pictures.length === 0) return null
  const ready = pictures.filter(({ state }) => state === 'ready')
  return (
    <div className="composer-tray">
      <ul aria-label={t('picturesToSend')}>
        {pictures.map((picture) => (
          <Thumbnail key={picture.key} draft={draft} picture={picture} onOpen={() => setShown(picture.key)} />
        ))}
      </ul>
      {leftOut > 0 && <Hint>{t('tooManyPictures', { count: leftOut, most: maxPictures })}</Hint>}
      <OtherModel />
      <Lightbox
        pictures={attachmentsOf(ready)}
        at={ready.findIndex(({ key }) => key === shown)}
        onMove={(at) => setShown(ready[at]?.key ?? null)}
        onClose={() => setShown(null)}
      />
    </div>
  )
}

/** Before sending to a model that refused images, or that may take none: offers a model for images, or else the list of models. */
function OtherModel() {
  const { t } = useTranslation('composer')
  const refused = useKnownRefusal('images')
  const facts = useModelFacts((store) => store.facts)
  const models = useChat((state) => state.models.models)
  const [chosen = ''] = useChat(useShallow(modelsToAsk))
  // A reply since the last read may have shown which model takes images.
  useEffect(() => void loadModelFacts(), [])
  const isOne = useChat(({ compared }) => compared.length <= 1)
  const other = isOne && chosen !== '' ? betterForImages(chosen, models, facts) : null
  if (refused === null && other === null) return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Hint>{refused === null ? t('imagesUnknown', { model: chosen }) : t('refusedBefore', { model: refused })}</Hint>
      <Button
        size="small"
        onClick={() => {
          if (other === null) useStage.setState({ picking: isOne ? 'one' : 'several' })
          else void pickModel(other)
        }}
      >
        {other === null ? t('chooseOther') : t('useOther', { model: other })}
      </Button>
    </div>
  )
}

function Thumbnail({ draft, picture, onOpen }: { draft: string; picture: DraftPicture; onOpen: () => void }) {
  const { t } = useTranslation('composer')
  const [broken, setBroken] = useState(false)
  const { key, state, kept, preview, detail } = picture
  const name = picture.name === '' ? t('picture') : picture.name
  const address = preview ?? (kept && mediaPath(kept.mediaId))
  const running = state === 'preparing' || state === 'uploading' || state === 'keeping'
  return (
    <li className="composer-picture" data-state={state} aria-label={t('pictureNamed', { name })} aria-busy={running}>
      <button
        type="button"
        className="composer-picture-look"
        aria-label={t('openPicture', { name })}
        disabled={state !== 'ready'}
        onClick={onOpen}
      >
        {address === null || broken || state === 'failed' ? (
          <ImageOff aria-hidden />
        ) : (
          <img src={address} alt="" decoding="async" onError={() => setBroken(true)} />
        )}
        {state === 'uploading' && (
          <span className="composer-progress" style={{ width: `${Math.round(picture.sent * 100)}%` }} />
        )}
      </button>
      <div className="chat-file-words num">
        <b title={name}>{name}</b>
        <PictureState picture={picture} name={name} broken={broken} />
      </div>
      <div className="chat-file-actions">
        {state === 'failed' && picture.trouble?.kind === 'problem' && (
          <ActionButton icon={RotateCw} label={t('retryPicture')} onClick={() => draftPictures.retry(draft, key)} />
        )}
        {state !== 'failed' && (
          <DetailMenu
            name={name}
            detail={detail}
            onPick={(next) => draftPictures.edit(draft, key, (now) => ({ ...now, detail: next }))}
          />
        )}
        <ActionButton
          icon={X}
          label={t(running ? 'cancelPicture' : 'removePicture', { name })}
          onClick={() => draftPictures.remove(draft, key)}
        />
      </div>
    </li>
  )
}

function PictureState({ picture, name, broken }: { picture: DraftPicture; name: string; broken: boolean }) {
  const { t } = useTranslation('composer')
  const { state, trouble, kept, prepared } = picture
  if (state === 'preparing') return <span>{t('preparing')}</span>
  if (state === 'uploading') return <span>{t('uploading', { percent: Math.round(picture.sent * 100) })}</span>
  if (state === 'keeping') return <span>{t('keeping')}</span>
  if (trouble) {
    return (
      <span data-bad role="alert">
        <Trouble trouble={trouble} name={name} bytes={picture.bytes} />
      </span>
    )
  }
  if (broken) return <span data-bad>{t('brokenPicture')}</span>
  const size = t('size', { width: String(kept?.width ?? 0), height: String(kept?.height ?? 0) })
  return (
    <>
      <span>{joinFacts([size, showSize(picture.bytes)])}</span>
      {prepared?.blob && <Changes prepared={prepared} />}
    </>
  )
}

function Trouble({ trouble, name, bytes }: { trouble: PictureTrouble; name: string; bytes: number }) {
  const { t } = useTranslation('composer')
  if (trouble.kind === 'problem') return trouble.problem.message
  if (trouble.kind === 'damaged') return t('damagedPicture', { name })
  return t('tooLargePicture', { name, size: showSize(bytes), most: showSize(largestFile) })
}

/** How a picture was changed before the upload, for example its size. */
function Changes({ prepared: { from, to, converted, upright, lostFrames } }: { prepared: Prepared }) {
  const { t } = useTranslation('composer')
  const size = ({ width, height }: Size): string => t('size', { width: String(width), height: String(height) })
  const scaled = from.width !== to.width || from.height !== to.height
  const changes = [
    scaled && t('scaled', { from: size(from), to: size(to) }),
    !scaled && from.bytes > largestBytes && t('recoded', { from: showSize(from.bytes), to: showSize(to.bytes) }),
    upright && !scaled && t('turned'),
    converted && t('converted', { type: converted.slice('image/'.length).toUpperCase() }),
    lostFrames && t('firstFrame'),
  ]
  return <span role="status">{joinFacts(changes)}</span>
}

function DetailMenu({
  name,
  detail,
  onPick,
}: {
  name: string
  detail: Attachment['detail']
  onPick: (detail: Detail) => void
}) {
  const { t } = useTranslation('composer')
  const now = detail ?? 'auto'
  const trigger = (
    <button type="button" aria-label={t('detailOf', { name, detail: t(words[now]) })} title={t('detail')}>
      <Eye aria-hidden />
      {detail !== null && <span>{t(words[now])}</span>}
    </button>
  )
  return (
    <Menu trigger={trigger}>
      {details.map((one) => (
        <MenuItem
          key={one}
          icon={one === now ? Check : Circle}
          label={
            <>
              {t(words[one])} <span className="text-faint">{t(abouts[one])}</span>
            </>
          }
          onSelect={() => onPick(one)}
        />
      ))}
    </Menu>
  )
}
