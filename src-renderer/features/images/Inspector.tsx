import {
  Copy,
  Download,
  FolderOpen,
  GitBranch,
  Maximize2,
  MessageSquare,
  RotateCcw,
  Star,
  StarOff,
  Trash2,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Image } from '../../../src-preload/contract/images.ts'
import { showCount, showSize } from '../../i18n/format.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Field, type FieldProps, TextInput } from '../../shared/ui/Field.tsx'
import { InspectorSection } from '../../shared/ui/InspectorSection.tsx'
import { KeyValue } from '../../shared/ui/KeyValue.tsx'
import { imagesStore, targets, useImages } from '../../stores/images.ts'
import { copyImage, openLightbox, remove, reuse, reveal, saveImages, showToChat, toggleFavourite } from './actions.ts'
import { Details } from './Details.tsx'
import { setDraft } from './subscriptions.ts'

/** The image at the cursor or the selected ones, then the options of the next request. */
export function ImagesInspector() {
  return (
    <>
      <Chosen />
      <Advanced />
    </>
  )
}

/** The size of a request without one (specification, POST /v1/images/generations). */
const defaultSize = '1024x1024'

/** The fields `response_format`, and `model` and `size`, which the service accepts and ignores. */
function Advanced() {
  const { t } = useTranslation('images')
  const { model, size, responseFormat } = useImages((store) => store.draft)
  return (
    <InspectorSection title={t('advanced.title')}>
      <div className="flex flex-col gap-3">
        <WishField
          label={t('advanced.format')}
          hint={t('advanced.formatAbout')}
          value={responseFormat}
          placeholder={t('advanced.serviceDefault')}
          longest={50}
          onWish={(value) => setDraft({ responseFormat: value })}
        />
        <WishField
          label={t('advanced.model')}
          value={model}
          placeholder={t('advanced.serviceDefault')}
          longest={200}
          onWish={(value) => setDraft({ model: value })}
        />
        <WishField
          label={t('advanced.size')}
          hint={t('advanced.ignoredAbout')}
          value={size}
          placeholder={t('advanced.defaultOf', { value: defaultSize })}
          longest={50}
          onWish={(value) => setDraft({ size: value })}
        />
      </div>
    </InspectorSection>
  )
}

interface WishFieldProps extends Omit<FieldProps, 'children'> {
  value: string | null
  placeholder: string
  longest: number
  onWish: (value: string | null) => void
}

/** A text field of the request. An empty field is not sent. */
function WishField({ value, placeholder, longest, onWish, ...field }: WishFieldProps) {
  return (
    <Field {...field}>
      <TextInput
        mono
        value={value ?? ''}
        maxLength={longest}
        placeholder={placeholder}
        onChange={({ target }) => onWish(target.value === '' ? null : target.value)}
      />
    </Field>
  )
}

function Chosen() {
  const many = useImages((store) => store.picked.size > 1)
  const image = useImages((store) => store.images.find(({ id }) => id === [...store.picked, store.cursor][0]) ?? null)
  if (many) return <Many />
  if (!image) return null
  return (
    <Details image={image}>
      <Actions image={image} />
    </Details>
  )
}

function Many() {
  const { t } = useTranslation('images')
  const images = useImages((store) => store.images)
  const picked = useImages((store) => store.picked)
  const chosen = images.filter(({ id }) => picked.has(id))
  const bytes = chosen.reduce((sum, image) => sum + image.bytes, 0)
  const all = () => targets(imagesStore.getState())
  return (
    <>
      <InspectorSection title={t('details.many')}>
        <KeyValue
          rows={[
            { id: 'count', name: t('details.pictures'), value: showCount(chosen.length) },
            { id: 'bytes', name: t('details.bytes'), value: showSize(bytes) },
          ]}
        />
      </InspectorSection>
      <InspectorSection title={t('actions.label')}>
        <div className="flex flex-wrap gap-1.5">
          <Button icon={Download} onClick={() => void saveImages(all())}>
            {t('actions.downloadMany', { count: chosen.length })}
          </Button>
          <Button icon={Star} onClick={() => void toggleFavourite(all())}>
            {t('actions.favouriteShort')}
          </Button>
          <Button icon={Trash2} variant="danger" onClick={() => void remove(all())}>
            {t('actions.remove')}
          </Button>
        </div>
      </InspectorSection>
    </>
  )
}

function Actions({ image }: { image: Image }) {
  const { t } = useTranslation('images')
  const mark = image.favourite ? 'actions.unfavourite' : 'actions.favourite'
  return (
    <InspectorSection title={t('actions.label')}>
      <div className="flex flex-wrap gap-1.5 *:grow">
        <Button icon={Maximize2} onClick={() => openLightbox(image.id)}>
          {t('actions.open')}
        </Button>
        <Button icon={RotateCcw} onClick={() => void reuse(image)}>
          {t('actions.reuse')}
        </Button>
        <Button icon={GitBranch} onClick={() => void reuse(image, { vary: true })}>
          {t('actions.vary')}
        </Button>
        <Button icon={MessageSquare} onClick={() => void showToChat(image)}>
          {t('actions.chat')}
        </Button>
        <Button
          icon={image.favourite ? StarOff : Star}
          aria-pressed={image.favourite}
          title={t(mark)}
          onClick={() => void toggleFavourite([image])}
        >
          {t('actions.favouriteShort')}
        </Button>
        <Button icon={Download} onClick={() => void saveImages([image])}>
          {t('actions.download')}
        </Button>
        <Button icon={Copy} onClick={() => void copyImage(image)}>
          {t('actions.copyImage')}
        </Button>
        <Button icon={FolderOpen} onClick={() => void reveal(image)}>
          {t('actions.reveal')}
        </Button>
        <Button icon={Trash2} variant="danger" onClick={() => void remove([image])}>
          {t('actions.remove')}
        </Button>
      </div>
    </InspectorSection>
  )
}
