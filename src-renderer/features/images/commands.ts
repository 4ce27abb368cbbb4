import type { Image } from '../../../src-preload/contract/images.ts'
import { i18n } from '../../i18n/index.ts'
import { type Command, offerTranslatedCommands } from '../../shared/commands/registry.ts'
import { openList } from '../../shared/listRegion.ts'
import { imagesStore, targets } from '../../stores/images.ts'
import * as actions from './actions.ts'
import { startSlideshow } from './ImageLightbox.tsx'
import { showFavourites } from './subscriptions.ts'

type Title = Parameters<typeof title>[0]
const title = (key: keyof typeof import('../../i18n/en/images.ts')['images']['commands']): string =>
  i18n.t(`images:commands.${key}`)

const chosen = (): Image[] => targets(imagesStore.getState())
const one = (): Image | null => chosen()[0] ?? null
const some = (): boolean => imagesStore.getState().images.length > 0
/** Whether any image exists, matching or not, because the person may want to change the search. */
const any = (): boolean => imagesStore.getState().total > 0

/** Commands on the image at the cursor, or on the selected ones. */
function ofPictures(): Command[] {
  const command = (name: Title, run: (image: Image, all: Image[]) => void, keys?: string): Command => ({
    id: `images.${name}`,
    title: title(name),
    group: 'images',
    when: () => one() !== null,
    run: () => {
      const image = one()
      if (image) run(image, chosen())
    },
    ...(keys === undefined ? {} : { keys }),
  })
  return [
    command('open', ({ id }) => actions.openLightbox(id)),
    command('favourite', (_, all) => void actions.toggleFavourite(all)),
    command('save', (_, all) => void actions.saveImages(all), 'Mod+S'),
    command('copy', (image) => void actions.copyImage(image), 'Mod+Shift+C'),
    command('reveal', (image) => void actions.reveal(image)),
    command('reuse', (image) => void actions.reuse(image)),
    command('vary', (image) => void actions.reuse(image, { vary: true })),
    command('chat', (image) => void actions.showToChat(image)),
    command('remove', (_, all) => void actions.remove(all)),
  ]
}

function commands(): Command[] {
  const focusSearch = (): void => {
    openList()
    requestAnimationFrame(() => document.querySelector<HTMLInputElement>('.images-search input')?.select())
  }
  return [
    { id: 'images.write', title: title('write'), group: 'images', keys: 'Mod+J', run: actions.focusPrompt },
    {
      id: 'images.cancel',
      title: title('cancel'),
      group: 'images',
      keys: 'Escape',
      when: () => actions.latestMaking() !== null,
      run: () => {
        const drawing = actions.latestMaking()
        if (drawing) void actions.cancel(drawing.id)
      },
    },
    { id: 'images.search', title: title('search'), group: 'images', keys: 'Mod+F', when: any, run: focusSearch },
    {
      id: 'images.favourites',
      title: title('favourites'),
      group: 'images',
      when: any,
      run: () => showFavourites(!imagesStore.getState().favourites),
    },
    { id: 'images.slideshow', title: title('slideshow'), group: 'images', when: some, run: startSlideshow },
    {
      id: 'images.all',
      title: title('all'),
      group: 'images',
      when: some,
      run: () => imagesStore.setState(({ images }) => ({ picked: new Set(images.map(({ id }) => id)) })),
    },
    {
      id: 'images.undo',
      title: title('undo'),
      group: 'images',
      keys: 'Mod+Z',
      // Not in a text field, where the shortcut undoes typing.
      when: () => imagesStore.getState().undo.length > 0 && !document.activeElement?.matches('input, textarea'),
      run: () => void actions.undoRemove(),
    },
    ...ofPictures(),
  ]
}

/** Registers the commands, and registers them again when the language changes. Returns the function that removes them. */
export function offerImagesCommands(): () => void {
  return offerTranslatedCommands(() => commands().map((command) => ({ ...command, page: 'images' })))
}
