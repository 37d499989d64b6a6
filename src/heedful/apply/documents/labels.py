"""The words that name a field on paper, in seven languages, and where they stand in a row.

Labels are compared without case, accents, signs and spaces, so `Rechnungs-Nr.` and `RECHNUNGSNR` are one label. Each
has a strength: how likely what stands beside it is the field's value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from heedful.apply.documents.sheet import Row
from heedful.text.printed_values import compact, spaced

OTHER = "other"
"""Names something that is no field here: what stands beside it is not the value of a weaker label nearby."""
STRONG, FAIR, WEAK = 1.0, 0.7, 0.45

_NUMBER = "number, no, nr, num, id, code, ref"
_NUMMER = "nummer, nr, no, num, id"
_NUMERO = "numero, no, n, num, nr, nro"
_OF_NUMERO = (
    "numero, no, n, num, nro, numero de, no de, n de, num de, numero di, n di, numero da, no da, numero do, "
    "numero della, numero dell, ref, code, cod, codice, codigo"
)


def _listed(labels: str) -> list[str]:
    return [spaced(label) for label in labels.split(",")]


def _pairs(heads: str, tails: str) -> list[str]:
    """Every one of the first before every one of the second."""
    return [f"{head} {tail}" for head, tail in product(_listed(heads), _listed(tails))]


_LABELS: dict[str, tuple[tuple[float, Iterable[str]], ...]] = {
    "invoice_number": (
        (STRONG, _pairs("invoice, inv, tax invoice, bill, our invoice, sales invoice", _NUMBER)),
        (STRONG, _pairs("rechnungs, rechnung, rechn, rg, re, unsere rechnung, rechnungs beleg", _NUMMER)),
        (STRONG, _pairs("factuur, faktuur, fakt", _NUMMER)),
        (STRONG, _pairs("facture, fact, factura, fra, fattura, fatt, fatura", _NUMERO)),
        (STRONG, _pairs(_OF_NUMERO, "facture, la facture, factura, la factura, fattura, fatura, fact")),
        (FAIR, _pairs("credit note, credit memo, creditnote, document, statement, voucher", _NUMBER)),
        (FAIR, _pairs("gutschrift, gutschrifts, beleg, dokument, dokumenten, document, creditnota", _NUMMER)),
        (FAIR, _pairs("avoir, abono, documento, nota de credito, nota credito, recibo", _NUMERO)),
        (FAIR, _pairs(_OF_NUMERO, "documento, document, avoir")),
        (WEAK, _listed("""
            invoice, rechnung, facture, factura, fattura, factuur, fatura, gutschrift, tax invoice, our ref, our
            reference, unser zeichen, document, doc no, no doc, doc, doc nr, n doc, piece, vorgang, document ref,
            notre reference, nostro riferimento, onze referentie, vorgangsnummer, numero documento,
            credit note, avoir, fattura n, rechnung no, beleg, creditnota, invoice reference
        """)),
    ),
    "order_number": (
        (STRONG, _pairs(
            "purchase order, order, po, your order, your po, customer order, p o, sales order, customer po, our "
            "order, so",
            _NUMBER,
        )),
        (STRONG, _pairs(
            "bestell, bestellungs, bestellung, auftrags, auftrag, ihre bestell, ihre bestellung, ihr auftrag, "
            "order, bestel, bestelling, uw order, uw bestelling, uw bestel, kundenauftrag, best, inkooporder",
            _NUMMER,
        )),
        (STRONG, _pairs(
            "commande, votre commande, bon de commande, pedido, su pedido, orden de compra, ordine, vostro "
            "ordine, vs ordine, encomenda, bdc, ordem de compra, orden",
            _NUMERO,
        )),
        (STRONG, _pairs(_OF_NUMERO, "commande, votre commande, pedido, orden, ordine, encomenda, bon commande")),
        (FAIR, _listed("""
            your order, ihre bestellung, ihr auftrag, purchase order, votre commande, su pedido, uw order, vostro
            ordine, your reference po, po, bestellung nr, uw bestelling, vossa encomenda, order ref, customer order,
            order reference, bestellreferenz, ordernr
        """)),
        (WEAK, _listed("""
            order, bestellung, auftrag, commande, pedido, ordine, bestelling, encomenda, bon de commande, orden de
            compra
        """)),
    ),
    "customer_number": (
        (STRONG, _pairs("customer, cust, client, your customer, customer account, debtor", _NUMBER + ", account")),
        (STRONG, _pairs(
            "kunden, kunde, kd, kdn, ihre kunden, ihre kd, debitoren, debitor, klant, klanten, debiteur, "
            "debiteuren, relatie",
            _NUMMER,
        )),
        (STRONG, _pairs("client, cliente, compte client, cod cliente", _NUMERO)),
        (STRONG, _pairs(_OF_NUMERO, "client, cliente, compte client, compte")),
        (FAIR, _listed("""
            account, kunde, client, cliente, klant, cuenta, conto cliente, your code, customer ref, account code,
            customer account, account number, account no, account id, your
            account, member no, client code
        """)),
    ),
    "issue_date": (
        (STRONG, _listed("""
            invoice date, date of invoice, date of issue, issue date, date issued, issued, issued on, inv date, bill
            date, billing date, invoiced on, tax point, invoice dated, dated, rechnungsdatum, rechnungs datum, rechn
            datum, rg datum, datum der rechnung, ausstellungsdatum, rechnung vom, ausgestellt am, belegdatum, re
            datum, rechnungstag, date de facture, date facture, date de la facture, date de facturation, date d
            emission, facture du, date emission, emise le, fecha de factura, fecha factura, fecha de emision, fecha de
            la factura, fecha emision, fecha de expedicion, data fattura, data della fattura, data emissione, data di
            emissione, data documento, factuurdatum, datum factuur, factuur datum, data da fatura, data de emissao,
            data fatura, data emissao, fakturadatum, credit note date, gutschriftsdatum, statement date
        """)),
        (FAIR, _listed("""
            date, datum, fecha, data, document date, dokumentdatum, le, den, posting date, raised on, raised, date
            raised, created, created on, erstellt am, date du document, fecha documento,
            documentdatum, date tax point
        """)),
        (WEAK, _listed("""
            order date, po date, bestelldatum, date de commande, date commande, fecha de pedido, fecha pedido, data
            ordine, besteldatum, orderdatum, data da encomenda, data do pedido, vom, auftragsdatum, fecha del pedido,
            date of order, ordered on, bestellt am, purchase order date
        """)),
    ),
    "due_date": (
        (STRONG, _listed("""
            due date, payment due, payment due date, due on, due by, pay by, date due, payable by, please pay by,
            payment date, due, net due date, balance due on, payment due by, fallig am, faellig am, falligkeit,
            faelligkeit, falligkeitsdatum, faelligkeitsdatum, zahlbar bis, zahlungsziel, zahlbar bis zum, fallig,
            faellig, zu zahlen bis, fallig bis, zahlungsfrist, zahlungstermin, netto bis, zahlbar bis spatestens, date
            d echeance, echeance, date echeance, a payer avant le, a regler avant le, payable au plus tard le, date de
            paiement, fecha de vencimiento, vencimiento, fecha vencimiento, fecha de pago, vence el, vence, data
            scadenza, scadenza, data di scadenza, scadenza pagamento, scadenze, pagamento entro, vervaldatum,
            vervaldag, te betalen voor, uiterste betaaldatum, betaaldatum, betalen voor, data de vencimento,
            vencimento, data vencimento, pagar ate, data limite de pagamento
        """)),
    ),
    "delivery_date": (
        (STRONG, _listed("""
            delivery date, date of delivery, ship date, shipping date, date of supply, supply date, delivered on,
            shipped on, date shipped, service date, date of service, requested delivery date, required date, deliver
            by, required by, despatched, dispatched, shipped, delivered, despatch date, despatched on, dispatched on,
            needed by, date required, delivery required, entrega, f entrega, livraison, required delivery date,
            delivery on, levering, geliefert, lieferung, consegna il, livraison prevue, bon de livraison, fecha
            albaran, delivery required by, supplied on, date supplied, completed on, expected delivery, delivery by,
            dispatch date, performance date, lieferdatum, leistungsdatum, liefer und leistungsdatum, lieferdatum
            leistungsdatum, datum der lieferung, liefertermin, wunschtermin, liefertag, lieferung am, lieferzeitpunkt,
            leistungszeitpunkt, lieferleistungsdatum, versanddatum, geliefert am, wunschliefertermin, date de
            livraison, date livraison, livre le, date d expedition, livraison le, livraison souhaitee, date de
            prestation, fecha de entrega, fecha entrega, fecha de envio, fecha de operacion, data consegna, data di
            consegna, consegna, data spedizione, leverdatum, leveringsdatum, datum levering, geleverd op,
            verzenddatum, data de entrega, data entrega, data de envio, data da entrega
        """)),
    ),
    "currency": (
        (STRONG, _listed("""
            currency, wahrung, waehrung, devise, moneda, divisa, valuta, moeda, rechnungswahrung, betrage in, betraege
            in, amounts in, montants en, importes en, importi in, bedragen in, valores em, invoice currency, all
            amounts in, all prices in, alle betrage in, monnaie, alle preise in, alle bedragen in, prices in, preise
            in, currency code
        """)),
    ),
    "net_total": (
        (STRONG, _listed("""
            net total, total net, net amount, total excl vat, total excluding vat, subtotal, sub total, total ex vat,
            amount excl vat, total before tax, net, total exc vat, net invoice amount, amount before tax, taxable
            amount, total net amount, net value, invoice net, goods total, total excl tax, total excluding tax,
            subtotal excl vat, net sum, total exclusive of vat, goods net, total goods, invoice subtotal, order
            subtotal, subtotal ex vat, total without vat, nettobetrag, netto, summe netto, gesamt netto, nettosumme,
            zwischensumme netto, gesamtnetto, zwischensumme, summe ohne mwst, netto gesamt, nettobetrag gesamt,
            rechnungsbetrag netto, rechnungssumme netto, rechnungssumme ohne ust, warenwert, nettowarenwert,
            gesamtbetrag netto, betrag netto, summe zzgl mwst, summe excl mwst, netto summe, total netto, gesamtsumme
            netto, nettogesamtbetrag, nettowert, nettorechnungsbetrag, gesamtnettowert, nettogesamtwert, auftragswert
            netto, bestellwert netto, warenwert netto, entgelt, nettoentgelt, total ht, montant ht, sous total, total
            hors taxes, total hors tva, sous total ht, net ht, montant net ht, total net ht, montant total ht, base
            ht, total h t, montant hors taxes, base imponible, importe neto, total neto, suma, importe sin iva, total
            sin iva, neto, total base imponible, subtotal sin iva, importe base, imponibile, totale imponibile, totale
            netto, imponibile totale, subtotale, importo netto, netto merce, totale merce, totale imponible, tot
            imponibile, totale senza iva, subtotaal, totaal excl btw, totaal exclusief btw, bedrag excl btw, totaal ex
            btw, totaal netto, subtotaal excl btw, netto bedrag, totaal excl, netto totaal, bedrag exclusief btw,
            factuurbedrag excl btw, total liquido, valor liquido, total sem iva, incidencia, total iliquido, base
            tributavel, subtotal sem iva, valor sem iva, mercadoria servicos, total liquido sem iva
        """)),
        (WEAK, _listed("positionssumme, summe positionen, lines total, line total sum, warenwert gesamt, merchandise")),
    ),
    "tax_total": (
        (STRONG, _listed("""
            vat, vat amount, total vat, tax, sales tax, tax amount, total tax, vat total, gst, plus vat, add vat,
            value added tax, tax total, vat at, output vat, hst, incl vat amount, mwst, ust, umsatzsteuer,
            mehrwertsteuer, mwst betrag, zzgl mwst, zzgl ust, zzgl umsatzsteuer, zzgl mehrwertsteuer, steuerbetrag,
            ust betrag, umsatzsteuerbetrag, summe umsatzsteuer, summe mwst, summe ust, gesetzl mwst, gesetzliche mwst,
            plus mwst, gesetzliche mehrwertsteuer, gesamt mwst, summe steuern, mehrwertsteuerbetrag, steuer,
            gesetzliche umsatzsteuer, enthaltene mwst, mwst gesamt, steuern, tva, montant tva,
            total tva, dont tva, montant de la tva, total t v a, taxe, iva, total iva, importe iva, cuota iva, i v a,
            cuota, importe del iva, iva total, imposta, totale iva, importo iva, totale imposta, imposte, tot iva,
            imposta iva, btw, btw bedrag, totaal btw, bedrag btw, b t w, omzetbelasting, btw totaal, total do iva,
            valor iva, valor do iva, imposto, total impostos, valor do imposto
        """)),
    ),
    "grand_total": (
        (STRONG, _listed("""
            grand total, invoice total, total amount due, total incl vat, total including vat, total due, total inc
            vat, gross total, total gross, gross amount, invoice amount, total payable, total amount, order total,
            total incl tax, total including tax, total invoice amount, total inclusive of vat, invoice value, total
            with vat, amount incl vat, invoice grand total, total to pay, amount to pay, po total, total order value,
            total price, order value, total value, total amount payable, total invoice, amount including vat, document
            total, gesamtbetrag, rechnungsbetrag, endbetrag, gesamtsumme, bruttobetrag, summe brutto, brutto, gesamt
            brutto, bruttosumme, rechnungssumme, rechnungssumme brutto, rechnungsbetrag brutto, gesamtbetrag brutto,
            zu zahlen, gesamtbetrag inkl mwst, endsumme, rechnungsendbetrag, summe inkl mwst, gesamt inkl mwst, total
            brutto, gesamtpreis brutto, rechnungsgesamtbetrag, gesamtsumme brutto, bestellsumme, auftragssumme, betrag
            inkl mwst, brutto gesamt, rechnungstotal, gesamtrechnungsbetrag, auftragswert, bestellwert, gesamtwert,
            auszahlungsbetrag, gesamtbruttobetrag, bruttogesamtbetrag, gesamtbetrag eur, gesamt inkl ust, summe inkl
            ust, total ttc, montant ttc, net a payer, total a payer, montant total ttc, total t t c, montant a payer,
            total net a payer, total general, net a payer ttc, montant total, ttc, total factura, total a pagar,
            importe total, total con iva, importe a pagar, total pedido, total euros, total eur, importe total
            factura, liquido a pagar, total iva incluido, totale fattura, totale documento, totale da pagare, totale
            complessivo, totale ivato, totale a pagare, netto a pagare, importo totale, totale ordine, totale
            generale, totale iva inclusa, importo da pagare, totale eur, totale euro, totale dovuto, totaal incl btw,
            totaal inclusief btw, te betalen, factuurbedrag, totaalbedrag, totaal te betalen, totaal bedrag, totaal
            factuur, te voldoen, eindtotaal, bedrag incl btw, factuurtotaal, total da fatura, total do documento,
            valor total, total com iva, total documento, total fatura, valor a pagar, total geral, montante total,
            total encomenda
        """)),
        (FAIR, _listed("""
            total, gesamt, summe, totale, totaal, balance due, amount due, zahlbetrag, total due now, offener betrag,
            amount payable, betrag, zahlungsbetrag, solde, solde a payer, saldo, openstaand bedrag, balance,
            please pay, outstanding, fälliger betrag
        """)),
    ),
    "vat_id": (
        (STRONG, _listed("""
            vat id, vat no, vat number, vat reg no, vat registration number, vat registration, vat reg, vat
            registration no, our vat no, ust id nr, ust id, ust idnr, ustid, ust ident nr, ust identnr, umsatzsteuer
            id, umsatzsteuer identifikationsnummer, uid, uid nr, ust identifikationsnr, ust identifikationsnummer,
            mwst nr, mehrwertsteuer nr, umsatzsteuer idnr, tva intracommunautaire, umsatzsteuer id nr, no tva, n tva,
            n de tva, numero de tva, tva intra, id tva, tva no, tva n, n tva intracommunautaire, no tva intracom, n
            tva intra, nif, cif, nif iva, cif nif, n i f, nif cif, partita iva, p iva, piva, part iva, p iva c f,
            codice iva, btw nummer, btw nr, btw id, btw identificatienummer, nipc, contribuinte, n contribuinte, no
            contribuinte, num contribuinte, contribuinte n, contribuinte no, numero de contribuinte, vat, tva, btw, eu
            vat
        """)),
    ),
    "iban": (
        (STRONG, _listed("iban, iban nr, iban no, iban code, bank account iban, konto iban, compte iban")),
    ),
    "seller": (
        (STRONG, _listed("""
            seller, vendor, supplier, sold by, from, issued by, verkaufer, verkaeufer, lieferant, rechnungssteller,
            rechnungsersteller, leistungserbringer, absender, kreditor, fournisseur, vendeur, emetteur, proveedor,
            vendedor, emisor, fornitore, cedente, cedente prestatore, mittente, venditore, leverancier, verkoper,
            afzender, fornecedor, emitente, bill from, invoice from, supplier name, vendor name, company name,
            rechnung von, rechnungsaussteller
        """)),
        (WEAK, _listed("""
            account name, account holder, kontoinhaber, beneficiary, titulaire, titular, intestatario, rekeninghouder,
            payee, on behalf of, make checks payable to, beneficiario, ten name van
        """)),
    ),
    "buyer": (
        (STRONG, _listed("""
            bill to, billed to, invoice to, buyer, sold to, customer, billing address, invoice address, customer name,
            purchaser, bill to address, billing to, client, invoiced to, invoice recipient, bill to sold to,
            rechnungsempfanger, rechnungsempfaenger, rechnung an, rechnungsadresse, rechnungsanschrift, kaufer,
            kaeufer, kunde, auftraggeber, besteller, leistungsempfanger, kaufer leistungsempfanger, empfanger, facture
            a, adresse de facturation, acheteur, destinataire, facturer a, client facture, facturado a, facturar a,
            cliente, comprador, datos del cliente, datos cliente, direccion de facturacion, destinatario, cessionario,
            cessionario committente, fatturare a, intestata a, spett le, spettle, spettabile, indirizzo di
            fatturazione, acquirente, factuuradres, factuur aan, klant, koper, klantgegevens, gefactureerd aan,
            faturado a, faturar a, exmo s sr s, exmos srs, dados do cliente, adquirente, endereco de faturacao, client
            name, nom du client, nombre del cliente, nome cliente, committente
        """)),
        (FAIR, _listed("""
            to, an, a l attention de, ship to, deliver to, delivery address, lieferadresse, firma, lieferanschrift,
            adresse de livraison, shipping address, aan, afleveradres, consignee
        """)),
    ),
    OTHER: (
        (STRONG, _listed("""
            phone, tel, telephone, telefon, telefono, telefoon, telefone, fax, mobile, mobil, email, e mail, mail,
            web, website, internet, www, page, seite, pagina, blatt, bic, swift, swift bic, sort code, account no,
            kontonummer, konto nr, kontonr, konto, blz, bankleitzahl, bank, kto, kto nr, steuernummer, steuer nr,
            steuernr, st nr, tax number, tax no, tax id, ein, company no, company number, company reg no, registration
            no, reg no, registered no, handelsregister, handelsregisternummer, hrb, hra, siret, siren, rcs, kvk, kvk
            nummer, kvk nr, rea, codice fiscale, cod fiscale, c f, gln, gtin, ean, duns, lieferschein,
            lieferscheinnummer, lieferschein nr, lieferscheinnr, delivery note, delivery note no, delivery note
            number, delivery no, bon de livraison, albaran, ddt, pakbon, guia, guia de remessa, shipment no, packing
            slip, project, projekt, projekt nr, projektnummer, vertrag, contract no, vertragsnummer, contract,
            contract number, your ref, your reference, reference, referenz, ihr zeichen, ihre referenz, unsere
            referenz, referencia, riferimento, referentie, uw referentie, onze referentie, vos references, ref,
            reference client, sales person, salesperson, sachbearbeiter, bearbeiter, ansprechpartner, contact,
            kontakt, contact person, payment terms, zahlungsbedingungen, zahlungsbedingung, terms, conditions de
            paiement, condiciones de pago, forma de pago, pagamento, betalingstermijn, payment method, zahlungsart,
            lieferbedingungen, delivery terms, incoterms, versandart, ship via, discount, rabatt, remise, descuento,
            sconto, korting, desconto, skonto, shipping, versandkosten, freight, fracht, frais de port, portes, spese,
            verzendkosten, print date, printed, printed on, druckdatum, gedruckt am, period, zeitraum,
            leistungszeitraum, abrechnungszeitraum, periode, billing period, rounding, rundung, deposit, anzahlung,
            paid, bezahlt, amount paid, bereits gezahlt, lieferantennummer, lieferanten nr, lieferantennr, supplier
            no, supplier number, vendor no, vendor number, vendor id, supplier id, code fournisseur,
            leveranciersnummer, mandate reference, mandatsreferenz, glaubiger id, quote no, quotation, quote, angebot,
            angebotsnummer, angebot nr, devis, offerte, presupuesto, preventivo, vat rate, steuersatz, tax rate,
            weight, gewicht, registered office, geschaftsfuhrer, amtsgericht, finanzamt, valid until, gultig bis,
            credit limit, your vat, your vat no, your vat id, ihre ust id nr, ihre ust idnr, ihre ust identnr, ihre
            ust id, customer vat, customer vat no, customer vat id, uw btw nummer, votre tva, votre n tva, nif
            cliente, buyer vat, client vat, kunden ust id, kunden ust idnr, vs p iva, uw btw nr, registered, revision,
            sheet, supplier code, buyer vat no, total qty, total quantity, total
            weight, gesamtgewicht, hours, vat code, quotation no, job no, position, pos, skontobetrag, gesamtbetrag
            der zuschlage, gesamtbetrag der abschlage, gesamtbetrag der rabatte, steuerbasisbetrag, tax base, base
            amount
        """)),
    ),
}  # fmt: skip

COLUMNS: dict[str, str] = {
    "sku": """
        sku, article, article no, article number, article nr, item, item no, item number, item code, item id, product,
        product no, product code, product number, product id, part, part no, part number, code, material, material no,
        material number, stock code, catalog no, cat no, catalogue no, art, art no, art nr, artnr, artikel nr,
        artikelnummer, artikelnr, artikel no, artikel, material nr, materialnummer, produkt nr, produktnummer, bestell
        nr artikel, sachnummer, teilenummer, teile nr, reference, ref, ref article, code article, no article, n
        article, reference article, ref produit, codigo, referencia, cod articulo, codigo articulo, articulo, cod,
        codice, codice articolo, cod articolo, cod art, articolo, art code, artikelcode, productcode, product nr,
        codigo artigo, artigo, our item, your item, ean, gtin, ean code, item sku, model, model no, stock no, item
        ref, art nr kunde, art nr lief, unsere art nr, ihre art nr, mat nr, nr artikel, codice prodotto, material
        code, ref no, item reference, order code, part code, commodity code, referentie, artikelnummer lieferant
    """,
    "description": """
        description, item description, product description, details, particulars, goods, service, services,
        description of goods, goods description, name, product name, item name, designation, beschreibung,
        bezeichnung, artikelbezeichnung, artikelbeschreibung, leistung, text, ware, warenbezeichnung, produkt,
        produktbeschreibung, artikeltext, bezeichnung der leistung, leistungsbeschreibung, libelle, designation
        article, designations, desc, description article, produit, descripcion, concepto, detalle, producto,
        descripcion del articulo, descripcion articulo, descrizione, descrizione articolo, descrizione dei beni,
        prodotto, descrizione beni, denominazione, omschrijving, artikelomschrijving, beschrijving, product
        omschrijving, productomschrijving, descricao, designacao, descricao do artigo, produto, material description,
        item details, work, activity, task, description of services, artikel bezeichnung, artikel beschreibung,
        bezeichnung artikel, goods services, item and description, nature, descrizione prodotto, item description
        details
    """,
    "qty": """
        qty, quantity, quantities, units, hours, hrs, pcs, qty shipped, qty ordered, order qty, no of units, menge,
        anzahl, stuck, stueck, stk, bestellmenge, liefermenge, std, stunden, anz, qnty, qte, quantite, qtes, quant,
        cantidad, cant, uds, unidades, quantita, q ta, qta, quantit, qt, q, aantal, hoeveelheid, aant, quantidade,
        qtd, qtde, qty delivered, quantity ordered, ordered, shipped, invoiced qty, billed, delivered, invoiced, qty
        invoiced, geliefert, bestellt, gel menge, qty hrs, days, ore, ord, shp, ord qty, ship qty, shipped qty
    """,
    "uom": """
        uom, unit, um, u m, unit of measure, measure, einheit, me, mengeneinheit, meng einheit, eh, ein, unite,
        unidad, unita, eenheid, unidade, un, ud, u, udm, per, vpe, pack, units of measure, u mis, eenh, einh, unid,
        qty unit
    """,
    "price": """
        price, unit price, unit cost, rate, price per unit, price each, each, unit price net, net price, price unit,
        cost, list price, hourly rate, unit net price, price net, item price, net unit price, preis, einzelpreis,
        stuckpreis, stueckpreis, e preis, epreis, ep, einzelpreis netto, preis einheit, nettopreis, preis pro einheit,
        e preis netto, einheitspreis, preis stuck, preis je einheit, preis me, ep netto, preis stk, einzel,
        einzelpreis eur, prix, prix unitaire, p u, pu, pu ht, prix unit, prix u, p u ht, prix unitaire ht, prix unit
        ht, prix u ht, precio, precio unitario, precio unit, p unit, precio ud, importe unitario, p v p, pvp, p
        unitario, prezzo, prezzo unitario, prezzo unit, prezzo un, p unit eur, pr unitario, prezzo netto, prijs,
        stukprijs, eenheidsprijs, prijs per stuk, prijs per eenheid, p st, tarief, preco, preco unitario, preco unit,
        pr unit, valor unitario, pr unitario s iva, unit price eur, unit price usd, unit price gbp, price eur, price
        usd, price gbp, preis eur, preis in eur
    """,
    "amount": """
        amount, total, line total, net amount, total price, extended price, ext price, net, value, line amount, sum,
        subtotal, extension, total amount, amount net, net value, line value, extended, ext, total net, net total, ext
        amount, extended amount, item total, total cost, betrag, gesamt, gesamtpreis, summe, gesamtbetrag, g preis,
        gpreis, gp, wert, nettobetrag, positionsbetrag, entgelt, netto, gesamt netto, gesamtpreis netto, gp netto,
        betrag netto, preis gesamt, warenwert, nettowert, gesamtwert, positionswert, betrag eur, gesamt eur,
        gesamtpreis eur, zeilensumme, positions betrag ohne ust, positions betrag, montant, total ht, montant ht, prix
        total, total ligne, montant net, prix total ht, valeur, mt ht, importe, importe neto, total linea, importe
        total, subtotal linea, importo, totale, importo netto, prezzo totale, totale riga, imp netto, valore,
        imponibile, totale netto, bedrag, totaal, totaalprijs, regeltotaal, totaal bedrag, bedrag excl btw, totaal
        excl btw, netto bedrag, valor, total liquido, valor total, preco total, total iliquido, total s iva, amount
        eur, amount usd, amount gbp, total eur, total usd, total gbp, montant eur, importe eur, bedrag eur, line net,
        liquido
    """,
    "date": """
        date, datum, fecha, data, delivery date, service date, lieferdatum, leistungsdatum, date livraison, delivery,
        liefertermin, due date, leverdatum, fecha entrega, data consegna, req date, required, termin, ship date,
        leistungszeitraum, leistungstag, day, tag, jour
    """,
    "pos": """
        pos, position, line, no, nr, item line, lfd nr, lp, ligne, linea, riga, regel, linha, ln, posnr, pos nr, line
        no, sr no, s no, sl no, sn, n, num, row, poz
    """,
    OTHER: """
        vat, tax, vat rate, mwst, ust, tva, iva, btw, steuer, steuersatz, tax rate, mwst satz, ust satz, vat amount,
        tax amount, disc, discount, rabatt, remise, descuento, dto, sconto, korting, desconto, sc, desc dto, gross,
        brutto, ttc, weight, gewicht, kg, rab, total ttc, vat code, taux tva, taux, tipo iva, aliquota, cod iva,
        currency, wahrung, gst, lot, charge, batch, hs code, origin, country, ust id, c iva, steuer satz, discount
        amount, line discount, warehouse, lager, st, incl vat, inkl mwst, delivery note, your ref, order no, s n
    """,
}  # fmt: skip


class Hit(NamedTuple):
    """A label in a row: where it stands in the row's text, what it names, and how strongly."""

    start: int
    end: int
    field: str
    strength: float
    opening: bool
    """It begins a segment, so no other word qualifies it."""


Index = dict[str, list[tuple[str, str, float]]]
_KEY = 3  # letters by which labels are indexed; shorter ones by all of theirs


@lru_cache(maxsize=1)
def header_index() -> Index:
    names: dict[str, tuple[str, float]] = {}
    for field, groups in _LABELS.items():
        for strength, labels in groups:
            for label in labels:
                _offer(names, compact(label), field, strength)
    return _indexed(names)


@lru_cache(maxsize=1)
def column_index() -> Index:
    names: dict[str, tuple[str, float]] = {}
    for field, labels in COLUMNS.items():
        for label in _listed(labels):
            _offer(names, compact(label), field, STRONG)
    return _indexed(names)


def _offer(names: dict[str, tuple[str, float]], label: str, field: str, strength: float) -> None:
    """The first field that claims a label has it, unless a later one claims it more strongly."""
    if label and (label not in names or names[label][1] < strength):
        names[label] = field, strength


def _indexed(names: dict[str, tuple[str, float]]) -> Index:
    found: Index = defaultdict(list)
    for label, (field, strength) in names.items():
        found[label[:_KEY]].append((label, field, strength))
    for labels in found.values():
        labels.sort(key=lambda one: -len(one[0]))
    return dict(found)


def hits(row: Row, index: Index) -> list[Hit]:
    """The labels in a row, the longest at each place, from left to right."""
    found: list[Hit] = []
    taken = 0
    openings = {segment.start for segment in row.segments}
    for place in _beginnings(row):
        if row.places[place] < taken:
            continue
        label = _longest(row, place, index)
        if label is not None:
            text, field, strength = label
            start, end = row.places[place], row.places[place + len(text) - 1] + 1
            opening = start in openings or _after_sign(row.text, start)
            found.append(Hit(start, end, field, strength, opening))
            taken = end
    return found


def _beginnings(row: Row) -> Iterator[int]:
    """Places in the compact text where a label may begin: at words, after signs, and at `rechnung` inside a word."""
    places, text = row.places, row.text
    inner = row.compact.find("rechnung") if "rechnung" in row.compact else -1
    before = -2
    for place, offset in enumerate(places):
        if offset != before + 1 or place == inner or (offset and not text[offset - 1].isalnum()):
            yield place
        before = offset


def _longest(row: Row, place: int, index: Index) -> tuple[str, str, float] | None:
    folded, places, text = row.compact, row.places, row.text
    limit = 0
    for size in (_KEY, 2, 1):
        for label, field, strength in index.get(folded[place : place + size], ()):
            if folded.startswith(label, place):
                end = places[place + len(label) - 1] + 1
                limit = limit or row.segment_at(places[place]).end  # a label does not reach over a gap
                if end <= limit and _ends(text, end, label):
                    return label, field, strength
    return None


def _ends(text: str, end: int, label: str) -> bool:
    """A label ends with its word, or before the digits of a value without a space; `PO-7781` is a value."""
    if end >= len(text) or not text[end].isalnum():
        return len(label) > 3 or text[end : end + 1] not in ("-", "/") or not text[end + 1 : end + 2].isdigit()
    return text[end].isdigit() and len(label) > 3


def _after_sign(text: str, start: int) -> bool:
    before = text[:start].rstrip()
    return before[-1:] in ("/", "|", ":", ",", ";", "•", "·", "(")
