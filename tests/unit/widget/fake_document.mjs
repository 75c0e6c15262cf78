/* The few document calls that rendering makes, so that the tree it builds can be looked at without a browser. */
class FakeNode {
  constructor(tag, text) {
    Object.assign(this, { tag, text, children: [], attributes: {} });
  }
  append(...nodes) {
    this.children.push(...nodes.map((node) => (node instanceof FakeNode ? node : new FakeNode(null, String(node)))));
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  get outline() {
    if (!this.tag) return this.text;
    const attributes = Object.entries(this.attributes).map(([name, value]) => ` ${name}=${value}`);
    return `<${this.tag}${attributes.join("")}>${this.children.map((child) => child.outline).join("")}</${this.tag}>`;
  }
  find(tag) {
    return [...(this.tag === tag ? [this] : []), ...this.children.flatMap((child) => child.find(tag))];
  }
}

globalThis.document = {
  createElement: (tag) => new FakeNode(tag),
  createTextNode: (text) => new FakeNode(null, text),
};
