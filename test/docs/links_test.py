"""Links of the documents lead to files that exist, and to headings that exist there."""
import re
import unittest

from pages import PAGES, ROOT

LINK = re.compile(r"\[[^\]\[]*\]\(([^)\s]+)\)")


def anchors(page):
    """Of headings, as web pages of repositories make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.S | re.M)
    headings = re.findall(r"^#+ +(.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Links(unittest.TestCase):
    def test_lead_somewhere(self):
        for page in PAGES:
            text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.S | re.M)
            for link in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
                if "://" in link:
                    continue
                with self.subTest(f"{page.relative_to(ROOT)}: {link}"):
                    path, _, anchor = link.partition("#")
                    target = (page.parent / path).resolve() if path else page
                    self.assertTrue(target.exists(), "no such file")
                    if anchor:
                        self.assertIn(anchor, anchors(target))
