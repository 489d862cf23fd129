import { analyse } from 'scslre';

/** Finds regular expressions that take more than linear time, since clients choose what they are applied to. */
const linear = {
  create: (context) => ({
    Literal(node) {
      if (!node.regex) return;
      const { pattern: source, flags } = node.regex;
      const [report] = analyse({ source, flags }, { assumeRejectingSuffix: false }).reports;
      if (!report) return;
      // Move: an unanchored quantifier begins again at each character. Self, Trade: text is split in several ways.
      const quantifiers = [report.quant ?? [report.startQuant, report.endQuant]].flat();
      const texts = quantifiers.map(({ start, end }) => source.slice(start, end)).join(' and ');
      context.report({ node, message: `Takes more than linear time (${report.type}): ${texts}` });
    },
  }),
};

export default { meta: { name: 'regexps' }, rules: { linear } };
