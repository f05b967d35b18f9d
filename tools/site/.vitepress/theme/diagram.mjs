import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, watch } from 'vue';

let drawn = 0;

/** A diagram in the language of Mermaid, drawn in the browser; its text where nothing can draw it. */
export default defineComponent({
  props: { code: { type: String, required: true } },
  setup({ code }) {
    const text = decodeURIComponent(code);
    const { isDark } = useData();
    const svg = ref();
    const draw = async () => {
      const { default: mermaid } = await import('mermaid');
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: 'strict',
        theme: isDark.value ? 'dark' : 'neutral',
        flowchart: { useMaxWidth: false },
      });
      drawn += 1;
      const made = await mermaid.render(`diagram-${drawn}`, text);
      svg.value = made.svg;
    };
    onMounted(draw);
    watch(isDark, draw);
    return () =>
      svg.value === undefined
        ? h('pre', { class: 'diagram' }, text)
        : h('div', { class: 'diagram', role: 'img', 'aria-label': text, innerHTML: svg.value });
  },
});
