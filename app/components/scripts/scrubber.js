// The controls of what the page draws elsewhere: the server hears of every step at once.

class Scrubber extends Player {
  constructor(root) {
    super((index) => index === this.told || this.tell(index));
    this.root = root;
    this.listen(root);
    root.replaceChildren(this.element);
  }

  follow(data, send) {
    this.number ??= data.heard;
    this.tell = (index) => {
      this.told = index;
      send("stepped", { value: index, number: ++this.number });
    };
    // Data of a run that had not heard of the visitor's last step are older than it.
    if (data.heard === this.number) this.told = data.start;
    const drawing = JSON.stringify([data.size, data.labels]);
    if (drawing !== this.drawing) this.update(data.labels, data.size, this.told);
    else if (this.index !== this.told) this.jump(this.told);
    this.drawing = drawing;
  }
}

export default shownBy(Scrubber, (view, data, tell) => view.follow(data, tell));
