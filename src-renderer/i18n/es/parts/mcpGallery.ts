/** Texts of the gallery of MCP servers in Settings. */
export const mcpGallery = {
  title: 'Galería de servidores MCP',
  about:
    'Servidores conocidos. No se instala ni se inicia nada hasta que hayas visto el comando y añadido el servidor.',
  addTitle: 'Añadir {{name}}',
  may: 'Qué puede hacer',
  needs: 'Qué necesita',
  source: 'Origen',
  needed: {
    node: 'Node.js con npx en este equipo. La primera vez se descarga el paquete del registro de npm.',
    uv: 'uv con uvx en este equipo. La primera vez se descarga el paquete de PyPI.',
  },
  exact: 'Comando o dirección exactos',
  withEnv: 'Con la variable {{names}}, guardada en el llavero si lo hay.',
  withHeaders: 'Con el encabezado {{names}}, guardado en el llavero si lo hay.',
  starts: 'Este servidor es un programa',
  connects: 'Este servidor es una dirección web',
  warnHttp: 'Todo lo que el modelo ponga en una llamada se envía allí.',
  back: 'Volver a la galería',
  addOff: 'Añadir desactivado',
  addOn: 'Añadir y activar',
  fields: { url: 'Dirección', secret: 'Clave', folders: 'Carpetas, una por línea' },
  hints: {
    url: 'La dirección de tu instancia de SearXNG.',
    secret:
      'Se guarda en el llavero o, si no lo hay, hasta que se cierre Inference Studio. Solo la recibe este servidor y no se vuelve a mostrar.',
    folders: 'Rutas completas. El servidor puede acceder a estas carpetas y a todo su contenido.',
  },
  fault: {
    empty: 'Introduce un valor.',
    url: 'Introduce una dirección que empiece por https:// o http://.',
    path: 'Introduce rutas completas, como /home/ada/notas o C:\\Notas.',
    token: 'Una clave no tiene espacios ni caracteres especiales.',
  },
  servers: {
    searxng: {
      about: 'Busca en la web con tu propia instancia de SearXNG y lee páginas.',
      may: 'Envía términos de búsqueda a tu instancia y abre cualquier página web que pida el modelo.',
      needs: 'Una instancia de SearXNG con el formato JSON activado.',
    },
    brave: {
      about: 'Busca páginas web, imágenes, noticias y lugares con Brave Search.',
      may: 'Envía términos de búsqueda a Brave, que puede cobrarlos en tu cuenta.',
      needs: 'Una clave de API de Brave Search.',
    },
    fetch: {
      about: 'Lee páginas web como Markdown.',
      may: 'Abre cualquier dirección que pida el modelo, también de tu propia red.',
      needs: 'Ni clave ni cuenta.',
    },
    filesystem: {
      about: 'Lee, busca y modifica archivos en las carpetas que elijas.',
      may: 'Lee, crea, modifica, mueve y sobrescribe archivos en estas carpetas. El propio servidor se limita a ellas.',
      needs: 'Una o varias carpetas. No elijas ninguna que contenga secretos.',
    },
    github: {
      about: 'Repositorios, incidencias, pull requests y flujos de trabajo de GitHub.',
      may: 'Todo lo que permita tu token. Usa un token detallado (fine-grained) con pocos permisos.',
      needs: 'Un token de acceso personal de GitHub.',
    },
    playwright: {
      about: 'Abre una ventana del navegador que controla el modelo.',
      may: 'Abre cualquier página, rellena formularios y sube y descarga archivos, en un perfil sin tus sesiones. Una de sus herramientas ejecuta cualquier código en este equipo.',
      needs: 'Un navegador Chrome en este equipo.',
    },
  },
}
