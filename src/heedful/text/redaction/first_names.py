"""Unambiguous first names; those that are also words, places or products are left out."""

from __future__ import annotations

_NAMES = """
    James John Robert Michael William David Richard Joseph Thomas Charles Christopher Daniel Matthew Anthony Donald
    Steven Paul Andrew Joshua Kenneth Kevin Brian George Timothy Ronald Edward Jason Jeffrey Ryan Jacob Gary
    Nicholas Eric Jonathan Stephen Larry Scott Brandon Benjamin Samuel Gregory Alexander Patrick Raymond Dennis
    Jerry Tyler Aaron Jose Adam Nathan Henry Zachary Douglas Peter Kyle Noah Ethan Jeremy Walter Keith Roger Terry
    Sean Gerald Carl Harold Dylan Arthur Lawrence Bryan Billy Bruce Gabriel Alan Juan Albert Willie Elijah Wayne
    Randy Vincent Liam Ralph Bobby Johnny Philip Bradley Mary Patricia Jennifer Linda Elizabeth Barbara Susan
    Jessica Sarah Karen Lisa Nancy Betty Sandra Margaret Ashley Kimberly Emily Donna Michelle Carol Amanda Melissa
    Deborah Stephanie Rebecca Sharon Laura Cynthia Dorothy Amy Kathleen Angela Shirley Emma Brenda Pamela Nicole
    Anna Samantha Katherine Christine Helen Debra Rachel Carolyn Janet Maria Catherine Heather Diane Olivia Julie
    Joyce Victoria Ruth Kelly Lauren Christina Joan Evelyn Judith Andrea Hannah Megan Cheryl Jacqueline Martha
    Teresa Gloria Sara Janice Ann Kathryn Abigail Sophia Frances Jean Alice Judy Isabella Julia Denise Marilyn
    Danielle Beverly Natalie Theresa Diana Brittany Doris Kayla Alexis Lori Marie Jane Jack Oliver Hans Klaus
    Wolfgang Jürgen Dieter Manfred Uwe Günter Horst Bernd Werner Heinz Stefan Matthias Andreas Sebastian Tobias
    Florian Felix Lukas Jonas Niklas Moritz Ursula Monika Petra Sabine Renate Helga Karin Brigitte Ingrid Claudia
    Susanne Birgit Heike Katrin Anke Silke Pierre Michel Philippe Nicolas Jacques Laurent Olivier François Frédéric
    Sébastien Thierry Mathieu Guillaume Antoine Nathalie Isabelle Sylvie Françoise Céline Aurélie Sophie Camille
    Chloé José Antonio Manuel Francisco Javier Carlos Miguel Alejandro Fernando Sergio Pablo Jorge Alberto Luis
    Álvaro Diego Carmen Ana Isabel Dolores Pilar Cristina Marta Lucía Elena Raquel Giovanni Giuseppe Marco Luca
    Francesco Alessandro Matteo Lorenzo Stefano Paolo Giulia Chiara Francesca Federica Alessandra Jan Piotr
    Krzysztof Andrzej Tomasz Paweł Michał Marcin Jakub Katarzyna Małgorzata Agnieszka Ewa Magdalena Joanna Lars Erik
    Anders Johan Mikael Karl Sven Björn Göran Nils Astrid Ingeborg Kristina Birgitta Jens Søren Mads Rasmus Mette
    Kirsten Ivan Dmitri Dmitry Sergei Sergey Alexei Alexey Vladimir Mikhail Nikolai Andrei Andrey Igor Oleg Yuri
    Olga Tatiana Natalia Svetlana Irina Ekaterina Ahmed Mohammed Mohamed Muhammad Ali Omar Hassan Hussein Ibrahim
    Khalid Yusuf Fatima Aisha Layla Rajesh Amit Sanjay Vijay Anil Sunil Priya Anjali Deepak Rahul Suresh Ramesh
    Arjun Pooja Neha Hiroshi Takashi Kenji Yuki Haruto Wei Xiaoming Jian Hyun Minjun Jiwoo Nguyen Thiago João Pedro
    Rafael Gustavo Bruno Mateus Beatriz Letícia Gabriela
"""
FIRST_NAMES = frozenset(_NAMES.split())
